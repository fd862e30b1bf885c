import { isJsonObject, type Json, type JsonObject, objectOf, UnsupportedError } from '../protocol/operation.ts';

/** Returns a function that computes a target's input: the whole event, or the InputTransformer's template filled in. */
export function compileInput(target: JsonObject): (event: JsonObject) => Json {
  if (isJsonObject(target.InputTransformer)) return compileTransformer(target.InputTransformer);
  return (event) => event;
}

function compileTransformer(transformer: JsonObject): (event: JsonObject) => Json {
  const paths = objectOf(transformer.InputPathsMap);
  const template = String(transformer.InputTemplate);
  for (const [, name = ''] of template.matchAll(/<([^<>\s]+)>/g)) {
    if (paths[name] === undefined) throw new UnsupportedError(`The InputTransformer has no path for <${name}>.`);
  }
  return (event) => {
    const filled = template.replace(/<([^<>\s]+)>/g, (_found, name: string, offset: number) => {
      const value = pick(event, String(paths[name]));
      return standsInString(template, offset) ? inString(value) : JSON.stringify(value ?? '');
    });
    return JSON.parse(filled) as Json;
  };
}

function standsInString(template: string, offset: number): boolean {
  const quotes = template.slice(0, offset).replaceAll('\\"', '').split('"').length - 1;
  return quotes % 2 === 1;
}

function inString(value: Json | undefined): string {
  if (typeof value === 'string') return JSON.stringify(value).slice(1, -1);
  return JSON.stringify(JSON.stringify(value ?? '')).slice(1, -1);
}

/** The value at a path such as `$.detail.bucket.name` or `$.detail['request-id']`, or undefined. */
function pick(event: JsonObject, path: string): Json | undefined {
  if (path === '$') return event;
  const names = [...path.matchAll(/\.([^.[\]]+)|\['([^']+)'\]|\[(\d+)\]/g)];
  const spelled = names.map(([whole]) => whole).join('');
  if (`$${spelled}` !== path) throw new UnsupportedError(`The embedded AWS cannot follow the path ${path}.`);
  return names.reduce<Json | undefined>((value, [, dotted, quoted, index]) => {
    if (Array.isArray(value)) return index === undefined ? undefined : value[Number(index)];
    return isJsonObject(value) ? value[dotted ?? quoted ?? ''] : undefined;
  }, event);
}
