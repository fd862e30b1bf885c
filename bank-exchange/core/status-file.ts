import { type Problem, parseJson } from '../../core/json/json-problems.ts';
import { parseLossless, printLossless } from '../../core/json/lossless-json.ts';

/** The problems of a file, or the text to send. */
export type CheckedFile = { problems: Problem[] } | { body: string };

const STATUSES = ['issued', 'inProgress'];
const PROPERTIES = ['newStatus', 'loanAmount', 'loanTerm', 'loanTermInDays'];

/** Checks a status file and returns all problems at once. Numbers are sent exactly as written. */
export function checkStatus(bytes: Uint8Array): CheckedFile {
  const problems = problemsOf(bytes);
  return problems.length > 0 ? { problems } : { body: printLossless(parseLossless(new TextDecoder().decode(bytes))) };
}

/** `issued` needs an amount and a term. `created` was renamed (specification, 4.3 and 9). */
function problemsOf(bytes: Uint8Array): Problem[] {
  const parsed = parseJson('The file', bytes);
  if ('problem' in parsed) return [parsed.problem];
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const fix = 'Write an object { … } with newStatus.';
    return [{ path: '$', problem: 'The file is not a JSON object.', fix }];
  }
  const status = value as Record<string, unknown>;
  return [
    ...Object.keys(status)
      .filter((name) => !PROPERTIES.includes(name))
      .map(unknownProperty),
    ...statusProblems(status.newStatus),
    ...numberProblems(status, 'loanAmount', false),
    ...numberProblems(status, 'loanTerm', true),
    ...numberProblems(status, 'loanTermInDays', true),
    ...(status.newStatus === 'issued' ? missingProblems(status) : []),
  ];
}

const unknownProperty = (name: string): Problem => ({
  path: `$[${JSON.stringify(name)}]`,
  problem: 'It is not a known property.',
  fix: `Remove it, or correct its spelling. The properties are ${PROPERTIES.join(', ')}.`,
});

function statusProblems(newStatus: unknown): Problem[] {
  const path = '$.newStatus';
  const fix = 'Write "issued" or "inProgress".';
  if (newStatus === undefined) return [{ path, problem: 'It is missing.', fix }];
  if (newStatus === 'created')
    return [{ path, problem: '"created" was renamed to "inProgress" in version 1.2.', fix: 'Write "inProgress".' }];
  return STATUSES.includes(newStatus as string)
    ? []
    : [{ path, problem: 'The service does not know this status.', fix }];
}

function numberProblems(status: Record<string, unknown>, name: string, whole: boolean): Problem[] {
  const value = status[name];
  const path = `$.${name}`;
  const fix = `Write a ${whole ? 'whole number' : 'number'} greater than zero, without quotes.`;
  if (value === undefined) return [];
  if (typeof value !== 'number') return [{ path, problem: 'It is not a number.', fix }];
  if (!Number.isFinite(value) || value <= 0)
    return [{ path, problem: 'It is not greater than zero, or it is too large.', fix }];
  return whole && !Number.isInteger(value) ? [{ path, problem: 'It is not a whole number.', fix }] : [];
}

function missingProblems({ loanAmount, loanTerm, loanTermInDays }: Record<string, unknown>): Problem[] {
  const problem = (name: string, what: string, fix: string) => ({
    path: `$.${name}`,
    problem: `It is missing. An issued loan needs ${what}.`,
    fix,
  });
  const hasTerm = loanTerm !== undefined || loanTermInDays !== undefined;
  return [
    ...(loanAmount === undefined ? [problem('loanAmount', 'an amount', 'Add loanAmount.')] : []),
    ...(hasTerm ? [] : [problem('loanTerm', 'a term', 'Add loanTerm or loanTermInDays.')]),
  ];
}
