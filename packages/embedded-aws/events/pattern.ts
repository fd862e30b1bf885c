import { isJsonObject, type Json, type JsonObject, objectOf, UnsupportedError } from '../protocol/operation.ts';

export type EventMatcher = (event: JsonObject) => boolean;

/**
 * Compiles an EventBridge event pattern. Every field of the pattern must match one of its alternatives. An array in the event
 * matches if one of its elements does. The alternatives of `$or` are patterns.
 * Throws an UnsupportedError that names the first unsupported feature.
 */
export function compilePattern(pattern: JsonObject): EventMatcher {
  const checks = Object.entries(pattern).map(([name, expected]) =>
    name === '$or' ? compileAlternatives(expected) : compileField(name, expected),
  );
  if (checks.length === 0) throw new UnsupportedError('An event pattern needs at least one field.');
  return (event) => checks.every((check) => check(event));
}

function compileAlternatives(expected: Json): EventMatcher {
  if (!Array.isArray(expected) || expected.length < 2 || !expected.every(isJsonObject)) {
    throw new UnsupportedError('$or in an event pattern must be an array of two or more patterns.');
  }
  const patterns = expected.map(compilePattern);
  return (event) => patterns.some((matches) => matches(event));
}

function compileField(name: string, expected: Json): EventMatcher {
  if (isJsonObject(expected)) {
    const nested = compilePattern(expected);
    return (event) => objectsIn(event[name]).some(nested);
  }
  if (!Array.isArray(expected)) {
    throw new UnsupportedError(`${name} in an event pattern is neither an object nor an array of alternatives.`);
  }
  const matchers: FieldMatcher[] = expected.map(matcherOf);
  return (event) => matchers.some((matches) => valuesIn(event[name]).some(matches));
}

/** The objects in a field. If there is none, `{}`, so `exists: false` in a nested pattern matches. */
function objectsIn(value: Json | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isJsonObject);
  return isJsonObject(value) ? [value] : [{}];
}

function valuesIn(value: Json | undefined): (Json | undefined)[] {
  return Array.isArray(value) && value.length > 0 ? value : [value];
}

/** Tests one value of an event. The value is undefined if the field is missing. */
type FieldMatcher = (value: Json | undefined) => boolean;

/** Compiles one alternative of a field: a plain value, or an object with one comparison. */
function matcherOf(alternative: Json): FieldMatcher {
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
  exists: (argument) => {
    if (typeof argument !== 'boolean') throw new UnsupportedError('exists in an event pattern must be true or false.');
    return (value) => (value !== undefined && !isJsonObject(value)) === argument;
  },
  'anything-but': anythingBut,
};

function text(comparison: string, argument: Json): string {
  if (typeof argument === 'string') return argument;
  throw new UnsupportedError(`${comparison} in an event pattern takes a string, not ${JSON.stringify(argument)}.`);
}

function affix(name: string, argument: Json, test: (value: string, text: string) => boolean): FieldMatcher {
  const expected = text(name, argument);
  return (value) => typeof value === 'string' && test(value, expected);
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

/** `argument` is a value, a list of values, or a comparison with either. A missing field never matches. */
function anythingBut(argument: Json): FieldMatcher {
  const comparisons = Object.entries(objectOf(argument)).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ [name]: value })),
  );
  const excluded = (isJsonObject(argument) ? comparisons : [argument].flat()).map(matcherOf);
  return (value) => value !== undefined && !excluded.some((matches) => matches(value));
}
