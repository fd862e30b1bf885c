import { randomUUID } from 'node:crypto';
import { OutcomeUnknown, Rejected, UnexpectedResponse } from './errors.ts';
import { logger } from './operator-log.ts';
import { addEvent } from './order-record.ts';
import { type PatientOrder, refuseWhileThrottled, withPatience } from './patience.ts';
import { getItem, type ItemKey, putItem, updateItem } from './table.ts';

/**
 * One operation of an order, `operation#<name>` in the order's record. `intended` means that a call may have been made
 * and nothing is known of it; `done` holds what came of it; `not-done` that it is certain that nothing was done.
 */
export interface OperationEntry extends ItemKey {
  state: 'intended' | 'done' | 'not-done';
  attempts: number;
  /** Which run of the step began the last attempt. */
  run: string;
  intendedAt: string;
  endedAt?: string;
  outcome?: Record<string, unknown>;
  failure?: string;
}

export interface Operation<Outcome extends Record<string, unknown>> {
  order: PatientOrder;
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

/** Whether the operation of this name is known to be done. */
export async function isDone(orderRef: string, name: string): Promise<boolean> {
  return (await getItem<OperationEntry>({ orderRef, item: `operation#${name}` }))?.state === 'done';
}

/** One run of a step, which may be the first to begin the operation. */
type Attempt = ItemKey & { run: string };

/**
 * The one mechanism for every call that changes something: the intent is written first, conditionally; the outcome after
 * the call; a repeat returns the recorded outcome and calls nobody.
 * @throws OutcomeUnknown where an operation that is never repeated has an unknown outcome; else what `call` throws.
 */
export async function perform<Outcome extends Record<string, unknown>>(
  operation: Operation<Outcome>,
): Promise<Outcome> {
  const { order, name, call } = operation;
  refuseWhileThrottled(order);
  const attempt = { orderRef: order.orderRef, item: `operation#${name}`, run: randomUUID() };
  const earlier = await begin(attempt);
  if (earlier?.state === 'done') return earlier.outcome as Outcome;
  if (earlier) {
    const reconciled = earlier.state === 'intended' ? await reconcile(operation) : undefined;
    if (reconciled) return recordOutcome(attempt, reconciled);
    await beginAgain(attempt, earlier);
    if (earlier.state === 'intended' && operation.unknown === 'again') await tellSentAgain(operation, earlier);
  }
  let outcome: Outcome;
  try {
    outcome = await withPatience(order, call);
  } catch (error) {
    const reconciled = earlier && (await reconcileRefusal(operation, error));
    if (reconciled) return recordOutcome(attempt, reconciled);
    // What goes wrong here leaves the intent open, which is safe; the error to report is the call's.
    await Promise.allSettled([recordFailure(attempt, error)]);
    throw error;
  }
  return recordOutcome(attempt, outcome);
}

/**
 * A repeated call that is refused may be refused because an earlier one came through: the read before was stale, or what seemed to
 * prove that nothing was done did not. Where the order may not be read yet, the intent stays open and the next repeat asks.
 */
async function reconcileRefusal<Outcome extends Record<string, unknown>>(
  { unknown }: Operation<Outcome>,
  error: unknown,
): Promise<Outcome | undefined> {
  return error instanceof Rejected && typeof unknown === 'function' ? unknown() : undefined;
}

async function reconcile<Outcome extends Record<string, unknown>>(
  operation: Operation<Outcome>,
): Promise<Outcome | undefined> {
  if (operation.unknown === 'again') return undefined;
  if (operation.unknown !== 'never') return operation.unknown();
  throw new OutcomeUnknown(
    `Order ${operation.order.orderRef}: ${operation.name} was begun before and nobody knows what came of it. It is never repeated: ` +
      'ask the service whether the order exists.',
  );
}

/** The service may have the file twice now, which operators shall see. */
async function tellSentAgain(
  { order, name }: Pick<Operation<never>, 'order' | 'name'>,
  earlier: OperationEntry,
): Promise<void> {
  const facts = { operation: name.split('#', 1)[0] ?? '', attempts: earlier.attempts + 1 };
  logger.warn('Sent again: nobody knows what came of the attempt before', facts);
  await addEvent(order.orderRef, 'Sent again', facts);
}

/**
 * Writes the intent of the first attempt. Answers the entry of an earlier one, in whose place nothing was written. A write whose
 * answer was lost is made again by the SDK, and then meets its own entry: `run` tells it.
 */
async function begin({ orderRef, item, run }: Attempt): Promise<OperationEntry | undefined> {
  const intent = { orderRef, item, run, state: 'intended', attempts: 1, intendedAt: new Date().toISOString() };
  if (await putItem(intent, 'attribute_not_exists(orderRef)')) return undefined;
  const entry = await getItem<OperationEntry>({ orderRef, item });
  return entry?.run === run ? undefined : entry;
}

/** Writes the intent of a further attempt, unless another run of the same step has meanwhile written its own. */
async function beginAgain({ orderRef, item, run }: Attempt, earlier: OperationEntry): Promise<void> {
  const attempts = earlier.attempts + 1;
  const intent = { orderRef, item, run, state: 'intended', attempts, intendedAt: new Date().toISOString() };
  if (await putItem(intent, 'attempts = :earlier OR run = :run', { ':earlier': earlier.attempts, ':run': run })) return;
  throw new OutcomeUnknown(
    `Order ${orderRef}: another run of the same step began ${item} at the same moment. Nothing was sent by this one.`,
  );
}

/** What is known to be done is true whoever writes it. */
async function recordOutcome<Outcome extends Record<string, unknown>>(
  { orderRef, item }: Attempt,
  outcome: Outcome,
): Promise<Outcome> {
  const changes = { state: 'done', endedAt: new Date().toISOString(), outcome, failure: undefined };
  await updateItem({ orderRef, item }, changes, 'attribute_exists(orderRef)');
  return outcome;
}

/**
 * A failure that proves that nothing was done closes the intent; any other leaves it open, which is the truth. A function that is
 * late must not close the intent of a later attempt, nor take back what that one has done.
 */
async function recordFailure({ orderRef, item, run }: Attempt, error: unknown): Promise<void> {
  const unproven = error instanceof OutcomeUnknown || error instanceof UnexpectedResponse || !isOrderFailure(error);
  await updateItem(
    { orderRef, item },
    {
      ...(!unproven && { state: 'not-done', endedAt: new Date().toISOString() }),
      failure: (error as Error).name,
    },
    'run = :run',
    { ':run': run },
  );
}

function isOrderFailure(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error;
}
