import { isJsonObject, type Json, type JsonObject, UnsupportedError } from '../protocol/operation.ts';
import { type FieldMatcher, matcherOf } from './field-matchers.ts';

/** Tests one event. */
export type EventMatcher = (event: JsonObject) => boolean;

/**
 * Compiles an EventBridge event pattern. Every field of the pattern must match one of its alternatives. An array in the event
 * matches when one of its elements does. `$or` holds whole patterns.
 * Throws an UnsupportedError that names the first thing that is not supported.
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

/** The objects of a field. A missing one counts as `{}`, so that `exists: false` in a nested pattern matches. */
function objectsIn(value: Json | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isJsonObject);
  return isJsonObject(value) ? [value] : [{}];
}

function valuesIn(value: Json | undefined): (Json | undefined)[] {
  return Array.isArray(value) && value.length > 0 ? value : [value];
}
