import type { z } from 'zod';
import { memberText } from './lossless-json.ts';
import { isFileName, type OrderPackage, packageSchema } from './package-schema.ts';

/** One thing that is wrong with a package, for the partner's clerk. `path` is a JSON path into `order.json`. */
export interface Problem {
  path: string;
  problem: string;
  mend: string;
}

/** A document's place in `$.documents` and its file, where the name can be used at all. */
export interface NamedFile {
  position: number;
  file: string;
}

/** `files` holds every file that can be looked up, whatever else is wrong; `content` is there when nothing is. */
export interface CheckedPackage {
  problems: Problem[];
  files: NamedFile[];
  content?: OrderPackage;
}

/** What the stage does where a package does not say. */
export interface PackageDefaults {
  choose: 'manual' | 'rule';
  /** Whether the stage has a rule of its own. */
  hasRule: boolean;
}

/** Checks the text of an `order.json`: every problem at once. The files that it names are looked up by the caller. */
export function checkPackage(bytes: Uint8Array, defaults: PackageDefaults): CheckedPackage {
  const parsed = parse(bytes);
  if ('problem' in parsed) return { problems: [parsed.problem], files: [] };
  const files = namedFiles(parsed.value);
  const result = packageSchema.safeParse(parsed.value, { reportInput: true });
  const problems = [...(result.error?.issues.flatMap(describeIssue) ?? []), ...ruleProblems(parsed.value, defaults)];
  return problems.length > 0 ? { problems, files } : { problems, files, content: result.data as OrderPackage };
}

function ruleProblems(value: unknown, defaults: PackageDefaults): Problem[] {
  const { choose = defaults.choose, rule } =
    (value as { offers?: Partial<OrderPackage['offers']> } | null)?.offers ?? {};
  if (choose !== 'rule' || rule !== undefined || defaults.hasRule) return [];
  return [{ path: '$.offers.rule', problem: 'It is missing.', mend: 'Add a JSONata expression, or choose "manual".' }];
}

function namedFiles(value: unknown): NamedFile[] {
  const documents = (value as { documents?: unknown } | null)?.documents;
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document, position) => {
    const file = (document as { file?: unknown } | null)?.file;
    return isFileName(file) ? [{ position, file }] : [];
  });
}

function parse(bytes: Uint8Array): { value: unknown } | { problem: Problem } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return {
      problem: { path: '$', problem: 'order.json is not text in UTF-8.', mend: 'Save it in the encoding UTF-8.' },
    };
  }
  try {
    // As it will be sent: what can't be written again must not be accepted.
    memberText(text, 'order');
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof RangeError) {
      const problem = 'order.json is nested too deeply to be handled.';
      return { problem: { path: '$', problem, mend: 'Flatten the order data.' } };
    }
    // V8's own sentence, cut before it would quote the questionnaire.
    const where = /at position \d+(?: \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0];
    const problem = `order.json is not JSON${where ? `: it breaks ${where}` : ', or ends too early'}.`;
    return {
      problem: { path: '$', problem, mend: 'Mend the JSON, for instance with an editor that marks its errors.' },
    };
  }
}

/** JSON path of a Zod path: `$.documents[0].file`; members with unusual names in brackets (RFC 9535). */
export function jsonPath(path: readonly PropertyKey[]): string {
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
        mend: 'Remove it, or correct its spelling; what the order service needs goes into "order".',
      }));
    case 'invalid_type':
      return [typeProblem(path, issue)];
    case 'invalid_value':
      return [
        {
          path,
          problem: 'The value is none of those allowed.',
          mend: `Write ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}.`,
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
          mend: 'Compare it with the JSON Schema of order.json.',
        },
      ];
  }
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
