import { UnsupportedError } from '../protocol/errors.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';

/** Tests one value of an event. The value is undefined if the event has no such field. */
export type FieldMatcher = (value: Json | undefined) => boolean;

/** The matcher for one alternative of a field: a plain value, or an object with one comparison. */
export function matcherOf(alternative: Json): FieldMatcher {
  if (Array.isArray(alternative))
    throw new UnsupportedError('An event pattern has an array in place of a single value.');
  if (!isJsonObject(alternative)) return (value) => value === alternative;
  const [[name, argument] = ['', null], ...others] = Object.entries(alternative);
  const build = COMPARISONS[name];
  if (!build || others.length > 0) {
    throw new UnsupportedError(`The embedded AWS does not support ${JSON.stringify(alternative)} in an event pattern.`);
  }
  return build(argument);
}

const COMPARISONS: Record<string, (argument: Json) => FieldMatcher> = {
  prefix: (argument) => affix('prefix', argument, (value, text) => value.startsWith(text)),
  suffix: (argument) => affix('suffix', argument, (value, text) => value.endsWith(text)),
  wildcard: (argument) => wildcard(text('wildcard', argument)),
  'equals-ignore-case': (argument) => {
    const expected = text('equals-ignore-case', argument).toLowerCase();
    return (value) => typeof value === 'string' && value.toLowerCase() === expected;
  },
  exists: (argument) => {
    if (typeof argument !== 'boolean') throw new UnsupportedError('exists in an event pattern must be true or false.');
    return (value) => (value !== undefined && !isJsonObject(value)) === argument;
  },
  numeric: (argument) => numeric(argument),
  'anything-but': (argument) => anythingBut(argument),
};

function text(comparison: string, argument: Json): string {
  if (typeof argument === 'string') return argument;
  throw new UnsupportedError(`${comparison} in an event pattern takes a string, not ${JSON.stringify(argument)}.`);
}

/** `prefix` and `suffix` take a string, or `{"equals-ignore-case": string}`. */
function affix(name: string, argument: Json, test: (value: string, text: string) => boolean): FieldMatcher {
  const ignoresCase = isJsonObject(argument);
  const expected = text(name, ignoresCase ? (argument['equals-ignore-case'] ?? null) : argument);
  if (!ignoresCase) return (value) => typeof value === 'string' && test(value, expected);
  return (value) => typeof value === 'string' && test(value.toLowerCase(), expected.toLowerCase());
}

/** `*` matches any characters; `\*` and `\\` match `*` and `\`. */
function wildcard(pattern: string): FieldMatcher {
  const source = pattern.replace(/\\([*\\])|(\*)|[\s\S]/g, (found, escaped: string | undefined, star) => {
    if (star !== undefined) return '[\\s\\S]*';
    return (escaped ?? found).replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  });
  const expression = new RegExp(`^${source}$`, 'u');
  return (value) => typeof value === 'string' && expression.test(value);
}

const ORDER: Record<string, (value: number, bound: number) => boolean> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** `["<operator>", number, …]`, all of which must hold. */
function numeric(argument: Json): FieldMatcher {
  const parts = Array.isArray(argument) ? argument : [];
  const bounds: ((value: number) => boolean)[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const test = ORDER[String(parts[index])];
    const bound = parts[index + 1];
    if (!test || typeof bound !== 'number') bounds.length = parts.length + 1;
    else bounds.push((value) => test(value, bound));
  }
  if (bounds.length === 0 || bounds.length > parts.length) {
    throw new UnsupportedError(`numeric in an event pattern cannot be ${JSON.stringify(argument)}.`);
  }
  return (value) => typeof value === 'number' && bounds.every((holds) => holds(value));
}

/** A value, a list of values, or one comparison with a value or a list of values. An absent field never matches. */
function anythingBut(argument: Json): FieldMatcher {
  const excluded = isJsonObject(argument) ? nestedExclusions(argument) : [argument].flat().map(matcherOf);
  return (value) => value !== undefined && !excluded.some((matches) => matches(value));
}

function nestedExclusions(argument: { [key: string]: Json }): FieldMatcher[] {
  return Object.entries(argument).flatMap(([name, values]) =>
    [values].flat().map((value) => matcherOf({ [name]: value })),
  );
}
