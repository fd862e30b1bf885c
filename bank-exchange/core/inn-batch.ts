import { createHash } from 'node:crypto';
import { readObject } from '../../core/aws/storage.ts';
import { elementTexts } from '../../core/json/lossless-json.ts';
import { stackSettings } from '../../core/settings.ts';
import { exchangeKey, publishExchangeJson, publishExchangeText } from './exchange-staging.ts';
import { innProblem } from './inn.ts';

/** The new tax numbers of a run: the content of `legacy/inns/<batch>.json` in staging. */
export interface InnBatch {
  batch: string;
  receivedAt: string;
  /** Valid tax numbers in the order of the list, without duplicates. */
  numbers: string[];
  invalid: { position: number; received: unknown; problem: string }[];
}

/**
 * Separates valid tax numbers from other elements, which are all in `invalid`.
 * @param elements the elements of the service's list, as JSON text.
 */
export function separateInns(elements: string[]): Pick<InnBatch, 'numbers' | 'invalid'> {
  const numbers = new Set<string>();
  const invalid: InnBatch['invalid'] = [];
  for (const [position, text] of elements.entries()) {
    const value = JSON.parse(text) as unknown;
    // For a tax number without quotes, the source text preserves all digits.
    const inn = typeof value === 'number' ? text : value;
    const wrong = typeof inn === 'string' ? innProblem(inn) : 'It is not a tax number.';
    const problem = wrong ?? (numbers.has(inn as string) ? 'It is in the list more than once.' : undefined);
    if (problem) invalid.push({ position, received: inn, problem });
    else numbers.add(inn as string);
  }
  return { numbers: [...numbers], invalid };
}

/** The name of a run's batch: the run's start and a hash of the execution's ARN. Retries of the step get the same name. */
export function batchName(startedAt: string, execution: string): string {
  const time = startedAt.replace(/\.\d+Z$/, 'Z').replaceAll(/[-:]/g, '');
  return `${time}-${createHash('sha256').update(execution).digest('hex').slice(0, 8)}`;
}

const batchKey = (batch: string) => exchangeKey(`inns/${batch}.json`);
const LISTED_KEY = exchangeKey('inns-listed.json');

async function staged(key: string): Promise<string | undefined> {
  const stored = await readObject({ bucket: stackSettings.stagingBucket, key });
  return stored && new TextDecoder().decode(stored.bytes);
}

export async function readBatch(batch: string): Promise<InnBatch | undefined> {
  const text = await staged(batchKey(batch));
  return text === undefined ? undefined : JSON.parse(text);
}

export const publishBatch = (content: InnBatch) => publishExchangeJson(batchKey(content.batch), content);

/**
 * The elements of the service's list at the last read, as JSON text. The service may list a number until it has received
 * offers for it, so only numbers that are not in here are new.
 */
export const readListed = async (): Promise<string[]> => elementTexts((await staged(LISTED_KEY)) ?? '[]');
export const publishListed = (elements: string[]) => publishExchangeText(LISTED_KEY, `[${elements.join(',')}]`);
