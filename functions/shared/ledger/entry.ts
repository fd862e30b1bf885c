import type { Values } from '../aws/record-table.ts';
import { OutcomeUnknown } from '../errors.ts';
import { type Knowledge, OPEN } from './knowledge.ts';
import { knowledgeIn, type StoredKnowledge, stored } from './stored-entry.ts';

/** One operation of a subject, `operation#<name>` in its record. */
export interface LedgerEntry {
  item: string;
  knowledge: Knowledge;
  attempts: number;
  /** Which run of the step began the last attempt. */
  run: string;
  intendedAt: string;
  /** What was sent last of what may have come through, where attempts may send different things. */
  intent?: Record<string, unknown>;
  /** When it was known to be done, or not to be done. */
  endedAt?: string;
  /** The name of the last attempt's failure; absent while that attempt may be at work. */
  failure?: string;
}

/** The entry as the table has it. */
export type StoredEntry = Omit<LedgerEntry, 'knowledge'> & StoredKnowledge;

export function readEntry<Stored extends StoredEntry>(item: Stored) {
  const { state, proven, doubts, outcome, ...entry } = item;
  return { ...entry, knowledge: knowledgeIn(item) };
}

/** The key of an item by its name in its record; what names the record differs from table to table. */
type Key = { item: string };

/** A `RecordTable`, whatever names its records. */
export interface EntryTable {
  getItem<Item>(key: Key): Promise<Item | undefined>;
  putItem(item: Key & Values, condition?: string, values?: Values): Promise<boolean>;
  updateItem(key: Key, changes: Values, condition?: string, values?: Values): Promise<boolean>;
}

/** Where the entry of an operation is kept. */
export interface Place {
  table: EntryTable;
  key: Key;
}

/** One run of a step, which may be the first to begin the operation. */
export interface Attempt extends Place {
  /** How sentences name the subject. */
  subject: string;
  run: string;
  intent: Record<string, unknown> | undefined;
}

/**
 * Writes the intent of the first attempt. Answers the entry of an earlier one, in whose place nothing was written. A write whose
 * answer was lost is made again by the SDK, and then meets its own entry: `run` tells it.
 */
export async function begin(attempt: Attempt): Promise<LedgerEntry | undefined> {
  if (await attempt.table.putItem(begun(attempt, 1), 'attribute_not_exists(attempts)')) return undefined;
  const entry = await findEntry(attempt);
  return entry?.run === attempt.run ? undefined : entry;
}

/**
 * Writes the intent of a further attempt, unless another run of the same step has meanwhile written its own.
 * @returns the outcome where an earlier attempt turns out to have come through after all: a function may be late.
 */
export async function beginAgain(attempt: Attempt, earlier: LedgerEntry): Promise<Record<string, unknown> | undefined> {
  const values = { ':earlier': earlier.attempts, ':run': attempt.run };
  const condition = 'attribute_not_exists(outcome) AND (attempts = :earlier OR run = :run)';
  if (await attempt.table.putItem(begun(attempt, earlier.attempts + 1), condition, values)) return undefined;
  const entry = await findEntry(attempt);
  if (entry?.knowledge.state === 'done') return entry.knowledge.outcome;
  throw new OutcomeUnknown(
    `${attempt.subject}: another run of the same step began ${earlier.item} at the same moment. Nothing was sent by this one.`,
  );
}

function begun({ key, run, intent }: Attempt, attempts: number) {
  return { ...key, ...stored(OPEN), run, attempts, intent, intendedAt: new Date().toISOString() };
}

export async function findEntry({ table, key }: Place): Promise<LedgerEntry | undefined> {
  const item = await table.getItem<StoredEntry>(key);
  return item && readEntry(item);
}

/** What is known to be done is true whoever writes it. */
export async function recordOutcome({ table, key }: Place, outcome: Record<string, unknown>): Promise<void> {
  await table.updateItem(
    key,
    { ...stored({ state: 'done', outcome }), endedAt: new Date().toISOString(), failure: undefined },
    'attribute_exists(attempts)',
  );
}

/** Nothing was done, and nothing will be; a late run that comes through after all overrides this. */
export async function recordNothingDone({ table, key }: Place): Promise<void> {
  await table.updateItem(
    key,
    { ...stored({ state: 'none' }), endedAt: new Date().toISOString() },
    'attribute_exists(attempts) AND attribute_not_exists(outcome)',
  );
}

/** What an attempt has taught. A function that is late must not write over a later attempt, nor take back what that one has done. */
export async function recordFailure(
  { table, key, run }: Attempt,
  { knowledge, failure, intent }: Required<Pick<LedgerEntry, 'knowledge' | 'failure'>> & Pick<LedgerEntry, 'intent'>,
): Promise<void> {
  await table.updateItem(
    key,
    {
      ...stored(knowledge),
      ...(knowledge.state !== 'open' && { endedAt: new Date().toISOString() }),
      failure,
      ...(intent && { intent }),
    },
    'run = :run AND attribute_not_exists(outcome)',
    { ':run': run },
  );
}
