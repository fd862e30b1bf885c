import { createHash } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import { readObject } from '../../core/aws/storage.ts';
import { stackSettings } from '../../core/settings.ts';
import { elementTexts } from './element-texts.ts';
import { exchangeKey, stageExchangeJson, stageExchangeText } from './exchange-staging.ts';
import { exchangeTable } from './exchange-table.ts';
import { innKind, innProblem } from './inn.ts';

/** New tax numbers of one run: the content of `legacy/inns/<batch>.json` in staging. */
export interface InnBatch {
  batch: string;
  receivedAt: string;
  /** The valid tax numbers in the order of the list, without duplicates. */
  numbers: string[];
  /** The other elements of the list, with their positions. */
  invalid: { position: number; received: unknown; problem: string }[];
}

/** The item `batch` of subject `batch#<batch>`: where a batch is staged, and its counts. */
export interface BatchItem {
  kind: 'batch';
  at: string;
  batch: string;
  numbers: number;
  invalid: number;
  key: string;
  versionId: string;
}

/**
 * Separates the valid tax numbers from the other elements. Drops nothing.
 * @param elements of the service's list, each as JSON text.
 */
export function sortInns(elements: string[]): Pick<InnBatch, 'numbers' | 'invalid'> {
  const numbers = new Set<string>();
  const invalid: InnBatch['invalid'] = [];
  for (const [position, text] of elements.entries()) {
    const value = JSON.parse(text) as unknown;
    // If a tax number is not in quotes, only its text has all digits.
    const inn = typeof value === 'number' ? text : value;
    const wrong = typeof inn === 'string' ? innProblem(inn) : 'It is not a tax number.';
    const problem = wrong ?? (numbers.has(inn as string) ? 'It is in the list more than once.' : undefined);
    if (problem) invalid.push({ position, received: inn, problem });
    else numbers.add(inn as string);
  }
  return { numbers: [...numbers], invalid };
}

/** The name of a run's batch: the run's start and a part of the execution's hash. Repeats of the step get the same name. */
export function batchName(startedAt: string, execution: string): string {
  const time = startedAt.replace(/\.\d+Z$/, 'Z').replaceAll(/[-:]/g, '');
  return `${time}-${createHash('sha256').update(execution).digest('hex').slice(0, 8)}`;
}

const batchKey = (batch: string) => exchangeKey(`inns/${batch}.json`);
const itemKey = (batch: string) => ({ subject: `batch#${batch}`, item: 'batch' });

export async function findBatch(batch: string): Promise<BatchItem | undefined> {
  return exchangeTable.getItem<BatchItem>(itemKey(batch));
}

/** Reads a batch from staging, in this version or the latest one; undefined if it does not exist. */
export async function readBatch(
  batch: string,
  versionId?: string,
): Promise<{ content: InnBatch; versionId: string } | undefined> {
  const object = { bucket: stackSettings.stagingBucket, key: batchKey(batch), ...(versionId && { versionId }) };
  const stored = await readObject(object);
  return stored && { content: JSON.parse(new TextDecoder().decode(stored.bytes)), versionId: stored.versionId };
}

const LISTED_KEY = exchangeKey('inns-listed.json');

/**
 * The elements of the service's list when it was last read, each as JSON text. The service may keep a number in the list
 * until there are offers for it. The number is new only once.
 */
export async function readListed(): Promise<string[]> {
  const stored = await readObject({ bucket: stackSettings.stagingBucket, key: LISTED_KEY });
  return stored ? elementTexts(new TextDecoder().decode(stored.bytes)) : [];
}

export async function stageListed(elements: string[]): Promise<void> {
  await stageExchangeText(LISTED_KEY, `[${elements.join(',')}]`);
}

/** Stages a batch for scoring and returns its version. */
export async function stageBatch(content: InnBatch): Promise<string> {
  return stageExchangeJson(batchKey(content.batch), content);
}

/** Stages the valid numbers as CSV, too (RFC 4180), and records the batch. */
export async function recordBatch(content: InnBatch, versionId: string): Promise<BatchItem> {
  const { batch, receivedAt, numbers, invalid } = content;
  const rows = numbers.map((inn) => ({ inn, kind: innKind(inn) }));
  const csv = stringify(rows, { header: true, columns: ['inn', 'kind'], record_delimiter: 'windows' });
  await stageExchangeText(exchangeKey(`inns/${batch}.csv`), csv, 'text/csv');
  const counts = { numbers: numbers.length, invalid: invalid.length };
  const item: BatchItem = { kind: 'batch', at: receivedAt, batch, ...counts, key: batchKey(batch), versionId };
  await exchangeTable.putItem({ ...itemKey(batch), ...item }, 'attribute_not_exists(subject)');
  return item;
}
