import type * as z from 'zod/mini';
import { bounded } from '../bounded.ts';
import { type InWords, inWords, type OwnCode, type Wanted } from '../messages/english.ts';
import { extentOf, MOST_VALUES, repeatedNames } from './lossless-json.ts';

/** One mistake in an uploaded JSON file, described for the person who wrote the file. */
export interface Problem extends InWords {
  /** JSON path of the mistake (RFC 9535). */
  path: string;
}

/** How deep arrays and objects may be nested in a file. Questionnaires have a handful of levels. */
const MAX_DEPTH = 100;

/** The most problems that one answer lists. A file with more is probably not the right file. */
export const MAX_PROBLEMS = 200;

/** The most values that one problem names, and the most characters of each. */
const MOST_SHOWN = 20;
const LONGEST_SHOWN = 200;

/** A problem with the file as a whole. */
export const ofFile = (...code: OwnCode): Problem => ({ path: '$', ...inWords(...code) });

/**
 * Parses an uploaded JSON file. `name` is the file's name in the problem. `repeated`: properties that occur twice, because a reader may take
 * the first or the last.
 */
export function parseJson(
  name: string,
  bytes: Uint8Array,
): { value: unknown; repeated: Problem[] } | { problem: Problem } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: ofFile('notUtf8', { name }) };
  }
  const { depth, values } = extentOf(text);
  if (depth > MAX_DEPTH) return { problem: ofFile('tooDeep', { name, most: MAX_DEPTH }) };
  if (values > MOST_VALUES) return { problem: ofFile('tooManyValues', { name, most: MOST_VALUES }) };
  try {
    const value: unknown = JSON.parse(text);
    const repeated: Problem[] = [];
    for (const path of repeatedNames(text))
      if (repeated.push({ path: jsonPath(path), ...inWords('repeatedProperty') }) === MAX_PROBLEMS) break;
    return { value, repeated };
  } catch (error) {
    // Only the position is taken from V8's message: the rest may quote the file.
    const position = /at position (\d+(?: \(line \d+ column \d+\))?)/.exec((error as Error).message)?.[1];
    return { problem: ofFile('notJson', { name, position }) };
  }
}

export function describeIssues(error: z.core.$ZodError | undefined): Problem[] {
  return (error?.issues ?? []).slice(0, MAX_PROBLEMS).flatMap(describeIssue).slice(0, MAX_PROBLEMS);
}

/** The JSON path of a Zod path: `$.documents[0].file`. Unusual property names are in brackets (RFC 9535). */
export function jsonPath(path: readonly PropertyKey[]): string {
  const whole = path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return /^[A-Za-z_$][\w$]{0,99}$/.test(String(step))
      ? `${text}.${String(step)}`
      : `${text}[${quoted(String(step))}]`;
  }, '$');
  return bounded(whole);
}

/** A quoted name or text, truncated to `most` characters. */
function quoted(text: string, most = 100): string {
  return JSON.stringify(bounded(text, most));
}

function describeIssue(issue: z.core.$ZodIssue): Problem[] {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, MAX_PROBLEMS) : undefined;
  const paths = unknown?.map((key) => [...issue.path, key]) ?? [issue.path];
  return paths.map((path) => ({ path: jsonPath(path), ...inWords(...codeOf(issue)) }));
}

function codeOf(issue: z.core.$ZodIssue): OwnCode {
  // The code that the schema gives for this member.
  if (issue.message.startsWith('[')) return JSON.parse(issue.message) as OwnCode;
  const isMissing = issue.input === undefined;
  switch (issue.code) {
    case 'unrecognized_keys':
      return ['unknownProperty', {}];
    case 'invalid_type':
      // Zod calls an object with arbitrary property names a record.
      return [
        isMissing ? 'missing' : 'wrongKind',
        { kinds: [issue.expected === 'record' ? 'object' : issue.expected] },
      ];
    case 'invalid_value':
      return [isMissing ? 'missing' : 'notAllowed', allowed(issue.values)];
    case 'too_small':
      return ['empty'];
    case 'too_big':
      return [
        'tooMany',
        { things: issue.origin === 'string' ? 'characters' : 'elements', most: Number(issue.maximum) },
      ];
    default:
      return ['invalid'];
  }
}

export function allowed(all: readonly unknown[]): Wanted {
  const values = all
    .slice(0, MOST_SHOWN)
    .map((value) =>
      typeof value === 'string' ? quoted(value, LONGEST_SHOWN) : bounded(JSON.stringify(value), LONGEST_SHOWN),
    );
  const more = all.length - values.length;
  return { values, ...(more > 0 && { more }) };
}
