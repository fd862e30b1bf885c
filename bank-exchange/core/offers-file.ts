import { MAX_PROBLEMS, type Problem, parseJson } from '../../core/json/json-problems.ts';
import { memberText } from '../../core/json/lossless-json.ts';
import { innProblem } from './inn.ts';
import type { CheckedFile } from './status-file.ts';

/**
 * Checks a file of pre-approved offers and returns all problems at once. Only `inn` is checked: the specification (4.3) does
 * not show the other fields of an offer. The list is sent unchanged.
 * @param numbers the tax numbers of the batch with the file's name; undefined if there is no such batch.
 */
export function checkOffers(bytes: Uint8Array, numbers: ReadonlySet<string> | undefined): CheckedFile {
  const parsed = parseJson('The file', bytes);
  if ('problem' in parsed) return { problems: [parsed.problem] };
  const problems = [...batchProblems(numbers), ...contentProblems(parsed.value, numbers)];
  if (problems.length > 0) return { problems: problems.slice(0, MAX_PROBLEMS) };
  return { body: offersText(bytes) };
}

export const offersText = (bytes: Uint8Array): string => memberText(new TextDecoder().decode(bytes), 'offers') ?? '[]';

function batchProblems(numbers: ReadonlySet<string> | undefined): Problem[] {
  if (numbers) return [];
  const problem = 'There is no batch of tax numbers with the name of this file.';
  return [{ path: '$', problem, fix: 'Name the file after its batch in staging, legacy/inns/<batch>.json.' }];
}

function contentProblems(value: unknown, numbers: ReadonlySet<string> | undefined): Problem[] {
  const { offers, ...others } = (value ?? {}) as { offers?: unknown };
  if (!Array.isArray(offers) || offers.length === 0) {
    const fix = 'Write { "offers": [ { "inn": "…", … }, … ] } with at least one offer.';
    return [{ path: '$.offers', problem: 'There are no offers.', fix }];
  }
  const unknown = Object.keys(others).map((name) => ({
    path: `$[${JSON.stringify(name)}]`,
    problem: 'It is not a known property.',
    fix: 'Remove it. The file must contain offers only.',
  }));
  return [...unknown, ...offers.flatMap((offer, position) => offerProblems(offer, position, numbers))];
}

function offerProblems(offer: unknown, position: number, numbers: ReadonlySet<string> | undefined): Problem[] {
  const inn = (offer as { inn?: unknown } | null)?.inn;
  const path = `$.offers[${position}].inn`;
  if (typeof inn !== 'string')
    return [{ path, problem: 'There is no tax number.', fix: 'Add inn as a string in quotes.' }];
  const problem = innProblem(inn);
  if (problem) return [{ path, problem, fix: 'Take the number from the batch in staging.' }];
  if (!numbers || numbers.has(inn)) return [];
  const fix = 'Remove the offer, or move it to the file of the batch that contains its number.';
  return [{ path, problem: 'The batch that the file is named after does not contain this number.', fix }];
}
