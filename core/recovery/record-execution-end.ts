import { readableCause } from '../aws/execution-end.ts';
import { count } from '../metrics.ts';
import { throttledSince } from '../order/not-before.ts';
import { errorClass } from '../order/order-changes.ts';
import { isFinal, type OrderItem } from '../order/order-item.ts';
import { type Driver, findOrder, findPause, isSuperseded } from '../order/order-record.ts';
import { addEventOnce } from '../order/timeline.ts';
import { isOrderRef } from '../package/intake-key.ts';
import { logger } from '../people/operator-log.ts';
import { recordEndOf } from '../people/publish-changes.ts';
import { sendOutbox } from '../people/send-outbox.ts';
import { recoverySettings } from '../settings.ts';
import { resumptionAfter } from './outage.ts';

export interface EndedExecution extends Driver {
  /** Step Functions' status: `FAILED`, `TIMED_OUT`, `ABORTED`. */
  status: string;
  error?: string | undefined;
  cause?: string | undefined;
  /** When it ended, in milliseconds since the epoch. */
  at: number;
  /** Whether the service answered a read of this execution. Undefined if that is unknown. */
  heard?: boolean;
}

/**
 * Records in the order's record, its timeline and `status.json` that an execution ended without success, and when the order
 * is started again if an outage stopped it. The same end may come several times: from the execution itself, from the event of
 * Step Functions and from the sweep. The first one is recorded. A later one only does what an interrupted one left undone.
 */
export async function recordExecutionEnd(ended: EndedExecution): Promise<void> {
  // A function of the ended execution may still be running and change the status. Then the write fails, and is tried again.
  for (
    let order = await findOrder(ended.orderRef);
    order && !order.dismissed && !order.removal && !isSuperseded(order, ended);
    order = await findOrder(ended.orderRef)
  ) {
    const { failure, waitingFor, resume } = order;
    const recorded = failure && order.generation === ended.generation ? { failure, waitingFor, resume } : undefined;
    const end = recorded ?? (await endOf(order, ended));
    if (!recorded && !(await recordEndOf(order, ended, end))) continue;
    if (recorded) await sendOutbox(order);
    else countEnd(end);
    await tell(ended, end);
    return;
  }
  const { status } = ended;
  logger.info('Nothing to record: another execution drives the order, or it is over, or it has no record', { status });
}

/** Says in the timeline that the order's execution ended. The line comes last: if it exists, everything else was done. */
async function tell({ orderRef, generation }: Driver, { failure, resume }: RecordedEnd): Promise<void> {
  const line = { at: failure.at, name: `end-${generation}` };
  const facts = { error: failure.error, ...(resume && { 'next try': resume.at }) };
  await addEventOnce(orderRef, line, 'Execution ended', facts);
}

/** An order that an outage stopped goes on by itself. One with a final status was counted when it was read. */
function countEnd({ failure, waitingFor, resume }: RecordedEnd): void {
  const error = errorClass(failure.error);
  if (resume) count('OrdersInterrupted', { error });
  else if (waitingFor === 'operator') count('OrdersEnded', { end: error });
}

type RecordedEnd = Pick<OrderItem, 'resume' | 'waitingFor'> & Required<Pick<OrderItem, 'failure'>>;

async function endOf(order: OrderItem, ended: EndedExecution): Promise<RecordedEnd> {
  const error = ended.error ?? ended.status;
  const failure = {
    error,
    cause: readableCause(ended, 'a retry continues the order'),
    at: new Date(ended.at).toISOString(),
  };
  if (isFinal(order.status)) return { failure, waitingFor: 'nobody' };
  const patience = recoverySettings.outagePatienceHours;
  const { at, heard } = ended;
  const throttling = { throttledSince: throttledSince(order), throttledUntil: order.notBefore.throttled?.backOffUntil };
  const ending = { error, at, heard, ...throttling, resumedAt: (await findPause())?.resumedAt };
  const resume = resumptionAfter(ending, order.resume, patience);
  return { failure, waitingFor: resume ? 'service' : 'operator', resume };
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
