import { isJsonObject, type Json, objectOf, UnsupportedError } from '../protocol/operation.ts';

/** Values that intrinsic functions refer to. Each method throws an UnsupportedError for an unknown name. */
export interface References {
  ref: (name: string) => Json;
  attribute: (logicalId: string, attribute: string) => Json;
  importValue: (name: string) => Json;
}

type Intrinsic = (argument: Json, references: References) => Json;

/** Resolves every intrinsic function in a value. Throws an UnsupportedError that names the first unknown one. */
export function resolve(value: Json, references: References): Json {
  if (Array.isArray(value)) return value.map((element) => resolve(element, references));
  if (!isJsonObject(value)) return value;
  const [[name, argument] = ['', null], ...others] = Object.entries(value);
  if (others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) {
    const intrinsic = INTRINSICS[name];
    if (!intrinsic) throw new UnsupportedError(`The intrinsic function ${name} is not supported.`);
    return intrinsic(argument, references);
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member, references)]));
}

const INTRINSICS: Record<string, Intrinsic> = {
  Ref: (argument, references) => references.ref(String(argument)),
  'Fn::GetAtt': (argument, references) => {
    const [logicalId = '', ...attribute] = Array.isArray(argument) ? argument.map(String) : String(argument).split('.');
    return references.attribute(logicalId, attribute.join('.'));
  },
  'Fn::Join': (argument, references) => {
    const [delimiter, parts = []] = listOf('Fn::Join', argument);
    return listOf('Fn::Join', resolve(parts, references)).map(String).join(String(delimiter));
  },
  'Fn::Sub': (argument, references) => substitute(argument, references),
  'Fn::Select': (argument, references) => {
    const [index, list] = listOf('Fn::Select', resolve(argument, references));
    const chosen = listOf('Fn::Select', list ?? null)[Number(index)];
    if (chosen === undefined) throw new UnsupportedError(`Fn::Select finds no element ${String(index)}.`);
    return chosen;
  },
  'Fn::Split': (argument, references) => {
    const [delimiter, source] = listOf('Fn::Split', resolve(argument, references));
    return String(source).split(String(delimiter));
  },
  'Fn::ImportValue': (argument, references) => references.importValue(String(resolve(argument, references))),
  'Fn::Equals': (argument, references) => {
    const [one, other] = listOf('Fn::Equals', resolve(argument, references));
    return JSON.stringify(one) === JSON.stringify(other);
  },
  'Fn::Or': (argument, references) => listOf('Fn::Or', argument).some((one) => resolve(one, references) === true),
};

function listOf(name: string, argument: Json): Json[] {
  if (Array.isArray(argument)) return argument;
  throw new UnsupportedError(`${name} takes a list.`);
}

/** Replaces `${Name}`, `${Name.Attribute}` and variables of the second argument. `${!Literal}` becomes `${Literal}`. */
function substitute(argument: Json, references: References): string {
  const [template, variables] = Array.isArray(argument) ? argument : [argument, {}];
  const values = objectOf(variables);
  return String(template).replace(/\$\{(!?)([^}]+)\}/g, (_found, literal: string, name: string) => {
    if (literal) return `\${${name}}`;
    if (values[name] !== undefined) return String(resolve(values[name], references));
    const dot = name.indexOf('.');
    return String(dot === -1 ? references.ref(name) : references.attribute(name.slice(0, dot), name.slice(dot + 1)));
  });
}
