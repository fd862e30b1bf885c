import { type Problem, parseJson } from '../json/json-problems.ts';
import { memberText } from '../json/lossless-json.ts';
import { innProblem } from './inn.ts';
import type { CheckedFile } from './status-file.ts';

/** The most problems that one answer lists. */
const MOST_PROBLEMS = 200;

/**
 * Checks a file of pre-approved offers whole: every problem at once. Beyond `inn` an offer is the bank's to fill; the list is sent as it
 * stands (specification, 4.3: its payload is not shown).
 * @param numbers the tax numbers of the batch that the file is named after; undefined when there is no such batch.
 */
export function checkOffers(bytes: Uint8Array, numbers: ReadonlySet<string> | undefined): CheckedFile {
  const parsed = parseJson('The file', bytes);
  if ('problem' in parsed) return { problems: [parsed.problem] };
  const problems = [...batchProblems(numbers), ...contentProblems(parsed.value, numbers)];
  if (problems.length > 0) return { problems: problems.slice(0, MOST_PROBLEMS) };
  return { body: offersText(bytes) };
}

/** The list of offers as it stands in a file that was checked, numbers to the digit. */
export function offersText(bytes: Uint8Array): string {
  return memberText(new TextDecoder().decode(bytes), 'offers') ?? '[]';
}

function batchProblems(numbers: ReadonlySet<string> | undefined): Problem[] {
  if (numbers) return [];
  const problem = 'No batch of tax numbers with the name of this file was received.';
  return [{ path: '$', problem, mend: 'Name the file after its batch in staging, legacy/inns/<batch>.json.' }];
}

function contentProblems(value: unknown, numbers: ReadonlySet<string> | undefined): Problem[] {
  const { offers, ...others } = (value ?? {}) as { offers?: unknown };
  if (!Array.isArray(offers) || offers.length === 0) {
    const mend = 'Write { "offers": [ { "inn": "…", … }, … ] } with at least one offer.';
    return [{ path: '$.offers', problem: 'There is no list of offers.', mend }];
  }
  const unknown = Object.keys(others).map((name) => ({
    path: `$[${JSON.stringify(name)}]`,
    problem: 'It is no member of this file.',
    mend: 'Remove it: the file holds offers and nothing else.',
  }));
  return [...unknown, ...offers.flatMap((offer, position) => offerProblems(offer, position, numbers))];
}

function offerProblems(offer: unknown, position: number, numbers: ReadonlySet<string> | undefined): Problem[] {
  const inn = (offer as { inn?: unknown } | null)?.inn;
  const path = `$.offers[${position}].inn`;
  if (typeof inn !== 'string') {
    return [{ path, problem: 'There is no tax number.', mend: 'Add inn, in quotes.' }];
  }
  const problem = innProblem(inn);
  if (problem) return [{ path, problem, mend: 'Take the number from the batch in staging.' }];
  if (!numbers || numbers.has(inn)) return [];
  const mend = 'Remove the offer, or put it into the file of the batch that has its number.';
  return [{ path, problem: 'The batch that the file is named after does not have this number.', mend }];
}
