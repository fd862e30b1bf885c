import { randomUUID } from 'node:crypto';
import { OutcomeUnknown, Rejected, UnexpectedResponse } from './errors.ts';
import { logger } from './log.ts';
import type { KeyOf, RecordTable } from './record-table.ts';

/**
 * One operation of a subject, `operation#<name>` in its record. `intended` means that a call may have been made
 * and nothing is known of it; `done` holds what came of it; `not-done` that it is certain that nothing was done.
 */
export interface OperationEntry {
  item: string;
  state: 'intended' | 'done' | 'not-done';
  attempts: number;
  /** Which run of the step began the last attempt. */
  run: string;
  intendedAt: string;
  endedAt?: string;
  outcome?: Record<string, unknown>;
  failure?: string;
}

/** Whose operations these are: an order, or a file of the bank exchange. */
export interface Subject<Partition extends string> {
  /** How sentences name it: `Order order-10045`. Nothing personal. */
  name: string;
  table: RecordTable<Partition>;
  /** Its record, which holds the operations. */
  key: Record<Partition, string>;
  /** Calls the service as it wishes to be called (`Retry-After`). */
  withPatience<Result>(call: () => Promise<Result>): Promise<Result>;
  /** @throws Throttled as long as the service wants to be left alone. */
  refuseWhileThrottled(): void;
  /** Adds a line to the timeline that operators read. */
  addEvent(what: string, facts: Record<string, string | number>): Promise<void>;
  /** What is to be done about an operation that is never repeated, and of which nobody knows what came. */
  findOut: string;
}

export interface Operation<Outcome extends Record<string, unknown>, Partition extends string = string> {
  subject: Subject<Partition>;
  /** Made outside the retried code, the same through all retries: `create`, `upload-document#0@<version>`, … */
  name: string;
  /** The call that changes something at the service. */
  call(): Promise<Outcome>;
  /**
   * What to do when an earlier outcome is unknown: `never` repeat, send `again`, or ask the service
   * whether it was done (a function, which answers the outcome, or undefined for "it was not").
   */
  unknown: 'never' | 'again' | (() => Promise<Outcome | undefined>);
}

/** One run of a step, which may be the first to begin the operation. */
interface Attempt<Partition extends string> {
  subject: Subject<Partition>;
  key: KeyOf<Partition>;
  run: string;
}

/**
 * The one mechanism for every call that changes something: the intent is written first, conditionally; the outcome after
 * the call; a repeat returns the recorded outcome and calls nobody.
 * @throws OutcomeUnknown where an operation that is never repeated has an unknown outcome; else what `call` throws.
 */
export async function performOperation<Outcome extends Record<string, unknown>, Partition extends string>(
  operation: Operation<Outcome, Partition>,
): Promise<Outcome> {
  const { subject, name, call } = operation;
  subject.refuseWhileThrottled();
  const key = { ...subject.key, item: `operation#${name}` } as KeyOf<Partition>;
  const attempt = { subject, key, run: randomUUID() };
  const earlier = await begin(attempt);
  if (earlier?.state === 'done') return earlier.outcome as Outcome;
  if (earlier) {
    const reconciled = earlier.state === 'intended' ? await reconcile(operation) : undefined;
    if (reconciled) return recordOutcome(attempt, reconciled);
    const done = await beginAgain(attempt, earlier);
    if (done) return done.outcome as Outcome;
    if (earlier.state === 'intended' && operation.unknown === 'again') await tellSentAgain(attempt, name, earlier);
  }
  let outcome: Outcome;
  let calls = 0;
  try {
    outcome = await subject.withPatience(() => {
      calls += 1;
      return call();
    });
  } catch (error) {
    const isRepeat = earlier !== undefined || calls > 1;
    const reconciled = isRepeat && (await reconcileRefusal(operation, error));
    if (reconciled) return recordOutcome(attempt, reconciled);
    // What goes wrong here leaves the intent open, which is safe; the error to report is the call's.
    await Promise.allSettled([recordFailure(attempt, error)]);
    throw error;
  }
  return recordOutcome(attempt, outcome);
}

/**
 * A repeated call that is refused may be refused because an earlier one came through: the read before was stale, or what seemed to
 * prove that nothing was done (a 429, say) did not. Where the order may not be read yet, the intent stays open and the next repeat asks.
 */
async function reconcileRefusal<Outcome extends Record<string, unknown>>(
  { unknown }: Pick<Operation<Outcome>, 'unknown'>,
  error: unknown,
): Promise<Outcome | undefined> {
  return error instanceof Rejected && typeof unknown === 'function' ? unknown() : undefined;
}

async function reconcile<Outcome extends Record<string, unknown>, Partition extends string>({
  unknown,
  subject,
  name,
}: Operation<Outcome, Partition>): Promise<Outcome | undefined> {
  if (unknown === 'again') return undefined;
  if (unknown !== 'never') return unknown();
  throw new OutcomeUnknown(
    `${subject.name}: ${name} was begun before and nobody knows what came of it. It is never repeated: ${subject.findOut}`,
  );
}

/** The service may have the file twice now, which operators shall see. */
async function tellSentAgain<Partition extends string>(
  { subject }: Attempt<Partition>,
  name: string,
  earlier: OperationEntry,
): Promise<void> {
  const facts = { operation: name.split('#', 1)[0] ?? '', attempts: earlier.attempts + 1 };
  logger.warn('Sent again: nobody knows what came of the attempt before', facts);
  await subject.addEvent('Sent again', facts);
}

/**
 * Writes the intent of the first attempt. Answers the entry of an earlier one, in whose place nothing was written. A write whose
 * answer was lost is made again by the SDK, and then meets its own entry: `run` tells it.
 */
async function begin<Partition extends string>({
  subject,
  key,
  run,
}: Attempt<Partition>): Promise<OperationEntry | undefined> {
  const { table } = subject;
  const intent = { ...key, run, state: 'intended', attempts: 1, intendedAt: new Date().toISOString() };
  if (await table.putItem(intent, `attribute_not_exists(${table.partitionKey})`)) return undefined;
  const entry = await table.getItem<OperationEntry>(key);
  return entry?.run === run ? undefined : entry;
}

/**
 * Writes the intent of a further attempt, unless another run of the same step has meanwhile written its own.
 * @returns the entry where an earlier attempt turns out to have come through after all: a function may be late.
 */
async function beginAgain<Partition extends string>(
  { subject, key, run }: Attempt<Partition>,
  earlier: OperationEntry,
): Promise<OperationEntry | undefined> {
  const attempts = earlier.attempts + 1;
  const intent = { ...key, run, state: 'intended', attempts, intendedAt: new Date().toISOString() };
  const values = { ':earlier': earlier.attempts, ':run': run };
  const condition = 'attribute_not_exists(outcome) AND (attempts = :earlier OR run = :run)';
  if (await subject.table.putItem(intent, condition, values)) return undefined;
  const entry = await subject.table.getItem<OperationEntry>(key);
  if (entry?.state === 'done') return entry;
  throw new OutcomeUnknown(
    `${subject.name}: another run of the same step began ${earlier.item} at the same moment. Nothing was sent by this one.`,
  );
}

/** What is known to be done is true whoever writes it. */
async function recordOutcome<Outcome extends Record<string, unknown>, Partition extends string>(
  { subject: { table }, key }: Attempt<Partition>,
  outcome: Outcome,
): Promise<Outcome> {
  const changes = { state: 'done', endedAt: new Date().toISOString(), outcome, failure: undefined };
  await table.updateItem(key, changes, `attribute_exists(${table.partitionKey})`);
  return outcome;
}

/**
 * A failure that proves that nothing was done closes the intent; any other leaves it open, which is the truth. A function that is
 * late must not close the intent of a later attempt, nor take back what that one has done.
 */
async function recordFailure<Partition extends string>(
  { subject: { table }, key, run }: Attempt<Partition>,
  error: unknown,
): Promise<void> {
  const unproven = error instanceof OutcomeUnknown || error instanceof UnexpectedResponse || !isOrderFailure(error);
  await table.updateItem(
    key,
    {
      ...(!unproven && { state: 'not-done', endedAt: new Date().toISOString() }),
      failure: (error as Error).name,
    },
    'run = :run AND attribute_not_exists(outcome)',
    { ':run': run },
  );
}

function isOrderFailure(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error;
}
