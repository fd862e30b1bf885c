import { createRequire } from 'node:module';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** What a parser of dynalite is given. It deletes the names and values that the expression uses from the unused ones. */
interface Context {
  attrNames?: JsonObject;
  attrVals?: JsonObject;
  unusedAttrNames: Record<string, true>;
  unusedAttrVals: Record<string, true>;
  isKeyCondition?: boolean;
}

interface Parser {
  parse(expression: string, options: { context: Context }): Json;
}

/** Stands for a value of the request, by its name, in an expression that is kept. */
class ValueName {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A parsed expression without the values of the request that it was parsed for. */
type Template = Json | ValueName | readonly Template[] | { [name: string]: Template };

interface Kept {
  template: Template;
  usedNames: string[];
  usedValues: string[];
}

/** The most expressions that are kept for each parser. */
const MOST_KEPT = 500;

/** The only expressions whose checks look at values. All others look at their types. */
const JUDGES_VALUES = /between|attribute_type/i;

const require = createRequire(import.meta.url);

let isDone = false;

/**
 * Makes dynalite keep what it has parsed. It parses the expressions of every request, which took a tenth of the time of the embedded
 * AWS, although functions send the same few expressions with other values again and again.
 */
export function keepParsedExpressions(): void {
  if (isDone) return;
  isDone = true;
  for (const name of ['conditionParser', 'updateParser', 'projectionParser']) {
    keepParsed(require(`dynalite/db/${name}`) as Parser);
  }
}

function keepParsed(parser: Parser): void {
  const { parse } = parser;
  const known = new Map<string, Kept>();
  parser.parse = (expression, options) => {
    if (JUDGES_VALUES.test(expression)) return parse(expression, options);
    const { context } = options;
    const key = keyOf(expression, context);
    const kept = known.get(key);
    if (kept) return recall(kept, context);
    const [namesBefore, valuesBefore] = [Object.keys(context.unusedAttrNames), Object.keys(context.unusedAttrVals)];
    const parsed = parse(expression, options);
    if (known.size >= MOST_KEPT) known.clear();
    known.set(key, {
      template: withoutValues(
        parsed,
        new Map(Object.entries(context.attrVals ?? {}).map(([name, value]) => [value, name])),
      ),
      usedNames: namesBefore.filter((name) => !Object.hasOwn(context.unusedAttrNames, name)),
      usedValues: valuesBefore.filter((name) => !Object.hasOwn(context.unusedAttrVals, name)),
    });
    return parsed;
  };
}

/** All that the result depends on: the expression, the attributes that its names stand for, and the types of its values. */
function keyOf(expression: string, { attrNames = {}, attrVals = {}, isKeyCondition = false }: Context): string {
  const types = Object.entries(attrVals).map(([name, value]) => [name, isJsonObject(value) ? Object.keys(value) : '']);
  return JSON.stringify([expression, isKeyCondition, attrNames, types]);
}

function recall({ template, usedNames, usedValues }: Kept, context: Context): Json {
  for (const name of usedNames) delete context.unusedAttrNames[name];
  for (const name of usedValues) delete context.unusedAttrVals[name];
  return withValues(template, context.attrVals ?? {});
}

function withoutValues(parsed: Json, names: ReadonlyMap<Json | undefined, string>): Template {
  const name = typeof parsed === 'object' && parsed !== null ? names.get(parsed) : undefined;
  if (name !== undefined) return new ValueName(name);
  if (Array.isArray(parsed)) return parsed.map((part) => withoutValues(part, names));
  if (!isJsonObject(parsed)) return parsed;
  return Object.fromEntries(Object.entries(parsed).map(([key, part]) => [key, withoutValues(part as Json, names)]));
}

/** A copy, because dynalite changes some parsed expressions. */
function withValues(template: Template, values: JsonObject): Json {
  if (template instanceof ValueName) return values[template.name] as Json;
  if (Array.isArray(template)) return template.map((part) => withValues(part as Template, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, part]) => [key, withValues(part as Template, values)]));
}
