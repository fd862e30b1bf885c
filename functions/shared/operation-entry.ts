import { OutcomeUnknown, UnexpectedResponse } from './errors.ts';
import type { KeyOf, RecordTable } from './record-table.ts';

/**
 * One operation of a subject, `operation#<name>` in its record. `intended` means that a call may have been made
 * and nothing is known of it; `done` holds what came of it; `not-done` that nothing was done, by what the service answered.
 */
export interface OperationEntry {
  item: string;
  state: 'intended' | 'done' | 'not-done';
  attempts: number;
  /** Which run of the step began the last attempt. */
  run: string;
  intendedAt: string;
  /** What the last attempt was to do, of those that may have come through; where a read alone may tell what came of it. */
  intent?: Record<string, unknown>;
  endedAt?: string;
  outcome?: Record<string, unknown>;
  failure?: string;
  /**
   * Of one that is not done: no attempt ever got through, or a refusal settled it. Absent where one was answered with 429 or 503, which
   * prove by assumption alone that nothing was done (docs/assumptions.md).
   */
  proven?: true;
  /** Of an open intent: repeats of it were refused, which is not believed yet (`operation-ledger.ts`). */
  doubts?: Doubts;
}

/** How many repeats in a row were refused, and since when. */
export interface Doubts {
  refusals: number;
  since: string;
}

/** One run of a step, which may be the first to begin the operation. */
export interface Attempt<Partition extends string> {
  subject: { name: string; table: RecordTable<Partition> };
  key: KeyOf<Partition>;
  run: string;
  intent: Record<string, unknown> | undefined;
}

/** Whether an operation may have come through though it is not known to be done. An entry from before `proven` was kept says it by its failure. */
export function isUnsure({ state, proven, failure }: Pick<OperationEntry, 'state' | 'proven' | 'failure'>): boolean {
  if (state !== 'not-done') return state === 'intended';
  return !proven && failure !== 'Rejected';
}

/**
 * Writes the intent of the first attempt. Answers the entry of an earlier one, in whose place nothing was written. A write whose
 * answer was lost is made again by the SDK, and then meets its own entry: `run` tells it.
 */
export async function begin<Partition extends string>({
  subject,
  key,
  run,
  intent,
}: Attempt<Partition>): Promise<OperationEntry | undefined> {
  const { table } = subject;
  const begun = { ...key, run, state: 'intended', attempts: 1, intent, intendedAt: new Date().toISOString() };
  if (await table.putItem(begun, `attribute_not_exists(${table.partitionKey})`)) return undefined;
  const entry = await table.getItem<OperationEntry>(key);
  return entry?.run === run ? undefined : entry;
}

/**
 * Writes the intent of a further attempt, unless another run of the same step has meanwhile written its own.
 * @returns the entry where an earlier attempt turns out to have come through after all: a function may be late.
 */
export async function beginAgain<Partition extends string>(
  { subject, key, run, intent }: Attempt<Partition>,
  earlier: OperationEntry,
): Promise<OperationEntry | undefined> {
  const attempts = earlier.attempts + 1;
  const { doubts } = earlier;
  const begun = { ...key, run, state: 'intended', attempts, intent, doubts, intendedAt: new Date().toISOString() };
  const values = { ':earlier': earlier.attempts, ':run': run };
  const condition = 'attribute_not_exists(outcome) AND (attempts = :earlier OR run = :run)';
  if (await subject.table.putItem(begun, condition, values)) return undefined;
  const entry = await subject.table.getItem<OperationEntry>(key);
  if (entry?.state === 'done') return entry;
  throw new OutcomeUnknown(
    `${subject.name}: another run of the same step began ${earlier.item} at the same moment. Nothing was sent by this one.`,
  );
}

/** What is known to be done is true whoever writes it. */
export async function recordOutcome<Outcome extends Record<string, unknown>, Partition extends string>(
  { subject: { table }, key }: Pick<Attempt<Partition>, 'subject' | 'key'>,
  outcome: Outcome,
): Promise<Outcome> {
  const changes = {
    state: 'done',
    endedAt: new Date().toISOString(),
    outcome,
    failure: undefined,
    doubts: undefined,
    proven: undefined,
  };
  await table.updateItem(key, changes, `attribute_exists(${table.partitionKey})`);
  return outcome;
}

/** Nothing was done, and nothing will be; a late run that comes through after all has the last word. */
export async function recordNothingDone<Partition extends string>({
  subject: { table },
  key,
}: Pick<Attempt<Partition>, 'subject' | 'key'>): Promise<void> {
  const changes = { state: 'not-done', proven: true, endedAt: new Date().toISOString(), doubts: undefined };
  await table.updateItem(key, changes, `attribute_exists(${table.partitionKey}) AND attribute_not_exists(outcome)`);
}

/**
 * A failure that proves that nothing was done closes the intent, unless there are doubts of an attempt before it; any other leaves it
 * open, which is the truth. A function that is late must not close the intent of a later attempt, nor take back what that one has done.
 */
export async function recordFailure<Partition extends string>(
  { subject: { table }, key, run }: Attempt<Partition>,
  error: unknown,
  {
    doubts,
    proven,
    intent,
    isUnsent,
  }: Pick<OperationEntry, 'proven' | 'intent'> & {
    doubts: Doubts | undefined;
    /** No call was made. */
    isUnsent?: true;
  },
): Promise<void> {
  const closes = doubts === undefined && !isUnproven(error);
  await table.updateItem(
    key,
    {
      ...((closes || isUnsent) && { state: 'not-done', proven, endedAt: new Date().toISOString() }),
      ...{ failure: (error as Error).name, doubts },
      ...(intent && { intent }),
    },
    'run = :run AND attribute_not_exists(outcome)',
    { ':run': run },
  );
}

/** Whether the call may have come through all the same. */
export function isUnproven(error: unknown): boolean {
  return error instanceof OutcomeUnknown || error instanceof UnexpectedResponse || !isOrderFailure(error);
}

function isOrderFailure(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error;
}
