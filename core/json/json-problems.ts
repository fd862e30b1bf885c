import type * as z from 'zod/mini';
import { bounded } from '../bounded.ts';
import { extentOf, MOST_VALUES } from './lossless-json.ts';

/** One mistake in an uploaded JSON file, described for the person who wrote the file. */
export interface Problem {
  /** JSON path of the mistake (RFC 9535). */
  path: string;
  problem: string;
  fix: string;
}

/** How deep arrays and objects may be nested in a file. Questionnaires have a handful of levels. */
const MAX_DEPTH = 100;

/** The most problems that one answer lists. A file with more is probably not the right file. */
export const MAX_PROBLEMS = 200;

/** The most values that one problem names, and the most characters of each. */
const MOST_SHOWN = 20;
const LONGEST_SHOWN = 200;

/** Parses an uploaded JSON file. `name` is how the problem names the file. */
export function parseJson(name: string, bytes: Uint8Array): { value: unknown } | { problem: Problem } {
  const refuse = (problem: string, fix: string) => ({ problem: { path: '$', problem: `${name} ${problem}`, fix } });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('is not UTF-8 text.', 'Save it with the encoding UTF-8.');
  }
  const { depth, values } = extentOf(text);
  if (depth > MAX_DEPTH) return refuse(`is nested deeper than ${MAX_DEPTH} levels.`, 'Flatten its arrays and objects.');
  if (values > MOST_VALUES) return refuse(`has more than ${MOST_VALUES} values.`, 'Upload data beside it, not in it.');
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // Only the position is taken from V8's message: the rest may quote the file.
    const where = /at position \d+(?: \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0];
    const problem = where ? `is not valid JSON: there is an error ${where}.` : 'is not valid JSON, or is incomplete.';
    return refuse(problem, 'Fix the JSON. An editor that checks JSON shows where the error is.');
  }
}

export function describeIssues(error: z.core.$ZodError | undefined): Problem[] {
  return (error?.issues ?? []).slice(0, MAX_PROBLEMS).flatMap(describeIssue).slice(0, MAX_PROBLEMS);
}

/** The JSON path of a Zod path: `$.documents[0].file`. Unusual property names are in brackets (RFC 9535). */
export function jsonPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return /^[A-Za-z_$][\w$]{0,99}$/.test(String(step))
      ? `${text}.${String(step)}`
      : `${text}[${quoted(String(step))}]`;
  }, '$');
}

/** A name or a text, cut where it is longer than any of ours. */
function quoted(text: string, most = 100): string {
  return JSON.stringify(bounded(text, most));
}

function describeIssue(issue: z.core.$ZodIssue): Problem[] {
  const path = jsonPath(issue.path);
  // The words that stand beside the member, if it has any.
  const [problem, fix] = issue.message.split('\n');
  if (problem !== undefined && fix !== undefined) return [{ path, problem, fix }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, MAX_PROBLEMS).map((key) => ({
        path: jsonPath([...issue.path, key]),
        problem: `${quoted(key)} is not a known property.`,
        fix: 'Remove it, or correct its spelling.',
      }));
    case 'invalid_type':
      return [typeProblem(path, issue)];
    case 'invalid_value':
      if (issue.input === undefined)
        return [{ path, problem: 'It is missing.', fix: `Write ${allowed(issue.values)}.` }];
      return [{ path, problem: 'The value is not allowed.', fix: `Write ${allowed(issue.values)}.` }];
    case 'too_small':
      return [{ path, problem: 'It is empty.', fix: 'Fill it in.' }];
    case 'too_big':
      return [{ path, problem: `It is longer than ${issue.maximum}.`, fix: 'Shorten it.' }];
    default:
      return [{ path, problem: 'The value is not valid here.', fix: 'Compare it with docs/order-package.md.' }];
  }
}

/** The values that may be written. */
export function allowed(values: readonly unknown[]): string {
  const shown = values
    .slice(0, MOST_SHOWN)
    .map((value) =>
      typeof value === 'string' ? quoted(value, LONGEST_SHOWN) : bounded(JSON.stringify(value), LONGEST_SHOWN),
    );
  const more = values.length - shown.length;
  return [...shown, ...(more > 0 ? [`one of ${more} more`] : [])].join(' or ');
}

const KINDS: Record<string, string> = {
  string: 'a string in quotes',
  number: 'a number without quotes',
  integer: 'a whole number without quotes',
  boolean: 'true or false',
  array: 'an array [ … ]',
  object: 'an object { … }',
  record: 'an object { … }',
};

/** How a value of a JSON type is written. */
export function kindOf(type: string): string {
  return KINDS[type] ?? type;
}

function typeProblem(path: string, issue: z.core.$ZodIssueInvalidType): Problem {
  const wanted = kindOf(issue.expected);
  if (issue.input === undefined) return { path, problem: 'It is missing.', fix: `Add it as ${wanted}.` };
  return { path, problem: `It is not ${wanted}.`, fix: `Write ${wanted}.` };
}
