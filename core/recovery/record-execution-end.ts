import { readableCause } from '../aws/execution-end.ts';
import { ENDED } from '../aws/lambda-errors.ts';
import { likeIdentifier } from '../bounded.ts';
import { recordEndOf } from '../driving/change-record.ts';
import { claimRedriven, type Driver, generationOf, isSuperseded } from '../driving/drivers.ts';
import { Superseded } from '../errors.ts';
import { logger } from '../log.ts';
import { count } from '../metrics.ts';
import { throttledSince } from '../order/not-before.ts';
import { errorClass } from '../order/order-changes.ts';
import { isFinal, type OrderItem } from '../order/order-item.ts';
import { isCreationStuck } from '../order/order-ledger.ts';
import { findOrder, findPause } from '../order/order-record.ts';
import { addToTimelineOnce } from '../order/timeline.ts';
import { isOrderRef } from '../package/intake-key.ts';
import { recoverySettings } from '../settings.ts';
import { sendOutbox } from '../staging/send-outbox.ts';
import { resumptionAfter } from './outage.ts';

/** `generation` comes from its input. A person may have started it with the input of an older execution. */
export interface EndedExecution extends Driver {
  /** Step Functions' status: `FAILED`, `TIMED_OUT`, `ABORTED`. */
  status: string;
  error?: string | undefined;
  cause?: string | undefined;
  /** When it ended, in milliseconds since the epoch. */
  at: number;
}

/**
 * Records in the order's record, its timeline and `status.json` that an execution ended without success, and when the order is started
 * again if an outage stopped it. The same end may come several times: from the event of Step Functions and from the sweep. The first one is
 * recorded. A later one only completes what an interrupted one did not finish.
 */
export async function recordExecutionEnd(given: EndedExecution): Promise<void> {
  // A function of the ended execution may still run and change the status. Then the write fails and is retried.
  for (let order = await findOrder(given.orderRef); order; order = await findOrder(given.orderRef)) {
    const generation = generationOf(order, given.execution, given.generation);
    if (generation === undefined) break;
    const ended = { ...given, generation };
    if (order.dismissed || order.removal || isSuperseded(order, ended)) break;
    const { failure, waitingFor, resume, redrives = 0 } = order;
    const isRecorded = order.generation === generation && redrives === ended.redrives;
    const recorded = failure && isRecorded ? { failure, waitingFor, resume } : undefined;
    const end = recorded ?? (await endOf(order, ended));
    if (!recorded && !(await recordEndOf(order, ended, end))) continue;
    if (recorded) await sendOutbox(order);
    else countEnd(end);
    await tell(ended, end);
    return;
  }
  const { status } = given;
  logger.info('Nothing to record: another execution drives the order, or it is over, or it has no record', { status });
}

/** Gives the order back to an execution that a person has redriven, if it may drive it. If this is lost, its next step does the same. */
export async function recordRedrive({ generation: named, ...redriven }: Driver): Promise<boolean> {
  const order = await findOrder(redriven.orderRef);
  const generation = order && generationOf(order, redriven.execution, named);
  if (!order || generation === undefined) return false;
  try {
    const claimed = await claimRedriven({ ...redriven, generation });
    // A step that claimed the order before may have sent nothing.
    await sendOutbox(claimed ?? order);
    return claimed !== undefined;
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    logger.info(error.message);
    return false;
  }
}

/** Adds a line to the timeline that the order's execution ended. The line comes last: if it exists, everything else was done. */
async function tell({ orderRef, generation, redrives }: Driver, { failure, resume }: RecordedEnd): Promise<void> {
  const line = { at: failure.at, name: redrives > 0 ? `end-${generation}-${redrives}` : `end-${generation}` };
  const facts = { error: failure.error, ...(resume && { 'next try': resume.at }) };
  await addToTimelineOnce(orderRef, line, 'Execution ended', facts);
}

/** An order that an outage stopped continues automatically. One with a final status was counted when it was read. */
function countEnd({ failure, waitingFor, resume }: RecordedEnd): void {
  const error = errorClass(failure.error);
  if (resume) count('OrdersInterrupted', { error });
  else if (waitingFor === 'operator') count('OrdersEnded', { end: error });
}

type RecordedEnd = Pick<OrderItem, 'resume' | 'waitingFor'> & Required<Pick<OrderItem, 'failure'>>;

async function endOf(order: OrderItem, ended: EndedExecution): Promise<RecordedEnd> {
  // Whoever stops an execution may write anything as its error.
  const error = likeIdentifier(ended.error) ?? ended.status;
  const failure = {
    error,
    cause: readableCause({ ...ended, error }, 'a retry continues the order'),
    at: new Date(ended.at).toISOString(),
  };
  if (isFinal(order.status)) return { failure, waitingFor: 'nobody' };
  const patience = recoverySettings.outagePatienceHours;
  const { at } = ended;
  const throttling = { throttledSince: throttledSince(order), throttledUntil: order.notBefore.throttled?.backOffUntil };
  const ending = {
    error,
    at,
    isUnsent: await isKilledUnsent(order, error),
    ...throttling,
    resumedAt: (await findPause())?.resumedAt,
  };
  const resume = resumptionAfter(ending, order.resume, patience);
  return { failure, waitingFor: resume ? 'service' : 'operator', resume };
}

/** Whether Lambda ended the function that creates the order, and the creation is known or may be sent again. */
async function isKilledUnsent({ orderRef, status }: OrderItem, error: string): Promise<boolean> {
  if (status !== 'RECEIVED' || !ENDED.includes(error)) return false;
  return !(await isCreationStuck(orderRef));
}

/** The order that an event about an execution's end names. Undefined if the message names none. */
export function orderOfEnd(message: unknown): string | undefined {
  const { input } = (message as { detail?: { input?: unknown } } | null)?.detail ?? {};
  return typeof input === 'string' ? orderOfInput(input)?.orderRef : undefined;
}

/** The order that an execution's input names; undefined if it names none: people may start executions with any input. */
export function orderOfInput(input: string): { orderRef: string; generation: number } | undefined {
  let named: Partial<Record<'orderRef' | 'generation', unknown>> | null;
  try {
    named = JSON.parse(input);
  } catch {
    return undefined;
  }
  const { orderRef, generation } = named ?? {};
  if (typeof orderRef !== 'string' || !isOrderRef(orderRef)) return undefined;
  const isNumber = typeof generation === 'number' && Number.isSafeInteger(generation) && generation > 0;
  return isNumber ? { orderRef, generation } : undefined;
}
