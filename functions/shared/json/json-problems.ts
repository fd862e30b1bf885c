import type * as z from 'zod/mini';
import { nestingDepth } from './lossless-json.ts';

/** One thing that is wrong with an uploaded JSON file, for the person who wrote it. `path` is a JSON path into it (RFC 9535). */
export interface Problem {
  path: string;
  problem: string;
  mend: string;
}

/** Levels of lists and objects in each other that a file may have; questionnaires have a handful. */
const DEEPEST = 100;

/** The most problems that one answer lists: a file with more is of another kind altogether. */
const MOST_PROBLEMS = 200;

/** Reads an uploaded JSON file as far as it can be read at all. `name` is what the answer calls it. */
export function parseJson(name: string, bytes: Uint8Array): { value: unknown } | { problem: Problem } {
  const refuse = (problem: string, mend: string) => ({ problem: { path: '$', problem: `${name} ${problem}`, mend } });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('is not text in UTF-8.', 'Save it in the encoding UTF-8.');
  }
  if (nestingDepth(text) > DEEPEST) {
    return refuse(`is nested deeper than ${DEEPEST} levels.`, 'Flatten its lists and objects.');
  }
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // V8's own sentence, cut before it would quote the file.
    const where = /at position \d+(?: \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0];
    const problem = `is not JSON${where ? `: it breaks ${where}` : ', or ends too early'}.`;
    return refuse(problem, 'Mend the JSON, for instance with an editor that marks its errors.');
  }
}

/** What a schema found, each with its path and how to mend it. */
export function describeIssues(error: z.core.$ZodError | undefined): Problem[] {
  return (error?.issues ?? []).slice(0, MOST_PROBLEMS).flatMap(describeIssue).slice(0, MOST_PROBLEMS);
}

/** JSON path of a Zod path: `$.documents[0].file`; members with unusual names in brackets (RFC 9535). */
function jsonPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return /^[A-Za-z_$][\w$]*$/.test(String(step))
      ? `${text}.${String(step)}`
      : `${text}[${JSON.stringify(String(step))}]`;
  }, '$');
}

function describeIssue(issue: z.core.$ZodIssue): Problem[] {
  const path = jsonPath(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: jsonPath([...issue.path, key]),
        problem: `${JSON.stringify(key)} is no member of this object.`,
        mend: 'Remove it, or correct its spelling.',
      }));
    case 'invalid_type':
      return [typeProblem(path, issue)];
    case 'invalid_value':
      if (issue.input === undefined) return [{ path, problem: 'It is missing.', mend: `Write ${allowed(issue)}.` }];
      return [
        {
          path,
          problem: 'The value is none of those allowed.',
          mend: `Write ${allowed(issue)}.`,
        },
      ];
    case 'too_small':
      return [
        { path, problem: 'It is empty.', mend: path === '$.documents' ? 'List at least one document.' : 'Fill it in.' },
      ];
    case 'too_big':
      return [{ path, problem: `It is longer than ${issue.maximum}.`, mend: 'Shorten it.' }];
    case 'invalid_format':
      return [fileNameProblem(path)];
    case 'custom':
      return [refinementProblem(path)];
    default:
      return [
        {
          path,
          problem: 'The value is not what is expected here.',
          mend: 'Compare it with the README.',
        },
      ];
  }
}

function allowed({ values }: z.core.$ZodIssueInvalidValue): string {
  return values.map((value) => JSON.stringify(value)).join(' or ');
}

function typeProblem(path: string, issue: z.core.$ZodIssueInvalidType): Problem {
  const expected = {
    string: 'a string in quotes',
    array: 'a list [ … ]',
    object: 'an object { … }',
    record: 'an object { … }',
  };
  const wanted = (expected as Record<string, string>)[issue.expected] ?? `a ${issue.expected}`;
  if (issue.input === undefined) return { path, problem: 'It is missing.', mend: `Add it as ${wanted}.` };
  return { path, problem: `It is not ${wanted}.`, mend: `Write ${wanted}.` };
}

function fileNameProblem(path: string): Problem {
  return {
    path,
    problem: 'The file name can not be used.',
    mend: 'Name the file documents/<name> with letters A-Z a-z, digits, ".", "_" and "-" only (no "..", spaces or other letters), rename the uploaded file alike, and correct the name here.',
  };
}

function refinementProblem(path: string): Problem {
  if (path === '$.order') return { path, problem: 'It is empty.', mend: 'Put the order data into it.' };
  return {
    path,
    problem: 'It is no JSONata expression.',
    mend: 'Correct it; https://try.jsonata.org shows where it breaks.',
  };
}
