import { OutcomeUnknown, Rejected, UnexpectedResponse } from './errors.ts';
import { getItem, type ItemKey, putItem, updateItem } from './table.ts';

/**
 * One operation of an order, `operation#<name>` in the order's record. `intended` means that a call may have been made
 * and nothing is known of it; `done` holds what came of it; `not-done` that it is certain that nothing was done.
 */
export interface OperationEntry extends ItemKey {
  state: 'intended' | 'done' | 'not-done';
  attempts: number;
  intendedAt: string;
  endedAt?: string;
  outcome?: Record<string, unknown>;
  failure?: string;
}

export interface Operation<Outcome extends Record<string, unknown>> {
  orderRef: string;
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

/**
 * The one mechanism for every call that changes something: the intent is written first, conditionally; the outcome after
 * the call; a repeat returns the recorded outcome and calls nobody.
 * @throws OutcomeUnknown where an operation that is never repeated has an unknown outcome; else what `call` throws.
 */
export async function perform<Outcome extends Record<string, unknown>>(
  operation: Operation<Outcome>,
): Promise<Outcome> {
  const key = { orderRef: operation.orderRef, item: `operation#${operation.name}` };
  const earlier = await getItem<OperationEntry>(key);
  if (earlier?.state === 'done') return earlier.outcome as Outcome;
  if (earlier?.state === 'intended') {
    const reconciled = await reconcile(operation);
    if (reconciled) return recordOutcome(key, reconciled);
  }
  await recordIntent(key, earlier);
  let outcome: Outcome;
  try {
    outcome = await operation.call();
  } catch (error) {
    const reconciled = earlier?.state === 'intended' ? await reconcileRefusal(operation, error) : undefined;
    if (reconciled) return recordOutcome(key, reconciled);
    // What goes wrong here leaves the intent open, which is safe; the error to report is the call's.
    await Promise.allSettled([recordFailure(key, error)]);
    throw error;
  }
  return recordOutcome(key, outcome);
}

/** A repeated call that is refused may be refused because the first one came through and the read before was stale. */
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
    `Order ${operation.orderRef}: ${operation.name} was begun before and nobody knows what came of it. It is never repeated: ` +
      'ask the service whether the order exists.',
  );
}

async function recordIntent(key: ItemKey, earlier: OperationEntry | undefined): Promise<void> {
  const attempts = (earlier?.attempts ?? 0) + 1;
  const written = await putItem(
    { ...key, state: 'intended', attempts, intendedAt: new Date().toISOString() },
    earlier ? 'attempts = :earlier' : 'attribute_not_exists(orderRef)',
    earlier && { ':earlier': earlier.attempts },
  );
  if (written) return;
  throw new OutcomeUnknown(
    `Order ${key.orderRef}: another run of the same step began ${key.item} at the same moment. Nothing was sent by this one.`,
  );
}

async function recordOutcome<Outcome extends Record<string, unknown>>(
  key: ItemKey,
  outcome: Outcome,
): Promise<Outcome> {
  await updateItem(key, { state: 'done', endedAt: new Date().toISOString(), outcome, failure: undefined });
  return outcome;
}

/** A failure that proves that nothing was done closes the intent; any other leaves it open, which is the truth. */
async function recordFailure(key: ItemKey, error: unknown): Promise<void> {
  const unproven = error instanceof OutcomeUnknown || error instanceof UnexpectedResponse || !isOrderFailure(error);
  await updateItem(key, {
    ...(!unproven && { state: 'not-done', endedAt: new Date().toISOString() }),
    failure: (error as Error).name,
  });
}

function isOrderFailure(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error;
}
