import { createHash } from 'node:crypto';
import { memberText } from '../../core/json/lossless-json.ts';
import { count } from '../../core/metrics.ts';
import { isFinal, type OrderItem, type WaitingFor } from '../../core/order/order-item.ts';
import { addEvent } from '../../core/order/timeline.ts';
import type { Order } from '../../core/order-service/order-service-client.ts';
import { changeWaiting } from '../../core/people/publish-changes.ts';
import { stageText } from '../../core/people/staging.ts';
import type { NextRead } from '../../core/reading/next-read.ts';
import type { NextStep } from '../../core/reading/next-step.ts';

/** A read of the order, and the record before it. */
export interface Read {
  record: OrderItem;
  order: Order;
  /** The service's body, unchanged. */
  text: string;
  /** Text of `offers[]`, with identifiers as strings and each offer's status in `status`. */
  offersText: string | undefined;
  nextRead: NextRead;
}

const snapshotHash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Whether the service's answer is exactly the last recorded one, and the order waits as that answer says. */
export function isUnchanged({ record, order, text }: Read): boolean {
  return isRecordedStatus(record, order.status) && snapshotHash(text) === record.snapshotSha256;
}

function isRecordedStatus(record: OrderItem, status: string): boolean {
  return status === record.status && waitsFor(status) === record.waitingFor;
}

/** Stages the read for people before it is processed. Writes nothing if the answer is the last recorded one. */
export async function stageRead({ record, order, text, offersText }: Read): Promise<void> {
  if (snapshotHash(text) === record.snapshotSha256) return;
  await stageText(record.orderRef, 'snapshot.json', text);
  if (offersText !== undefined) await stageText(record.orderRef, 'offers.json', offersText);
  if (order.status !== 'VALIDATION_FAILED') return;
  await stageText(record.orderRef, 'issues.json', memberText(text, 'issues') ?? '[]');
}

/**
 * Records the read and its round. Changes the record last, so that a step that was interrupted before does everything again.
 * If the next step is to wait and nothing has changed, writes nothing. Otherwise records `nextReadAt`, too, because the work
 * after this read may read the order.
 * @returns whether the record was changed.
 */
export async function recordRead(read: Read, step: NextStep): Promise<boolean> {
  const { record, order, text, nextRead } = read;
  const { status } = order;
  const snapshotSha256 = snapshotHash(text);
  const waitingFor = step.isAsked ? record.waitingFor : waitsFor(status);
  const rounds = {
    ...(step.documentsRound && { documentsRound: step.documentsRound }),
    ...(step.documentsAsked && { documentsAsked: step.documentsAsked }),
    ...(step.signaturesRound && { signaturesRound: step.signaturesRound }),
    ...(step.documentsLeft && { documentsLeft: step.documentsLeft }),
    ...(step.signaturesLeft && { signaturesLeft: step.signaturesLeft }),
  };
  if (isUnchanged(read) && Object.keys(rounds).length === 0 && step.todo === 'wait') return false;
  // The order has left the status. If it comes back, people are asked again.
  const entered = status !== record.status && {
    awaited: undefined,
    statusSince: new Date().toISOString(),
  };
  if (entered) await addEvent(record.orderRef, `Status ${status}`);
  await changeWaiting(record, { snapshotSha256, status, waitingFor, ...entered, ...rounds, ...nextRead });
  if (isFinal(status) && status !== record.status) count('OrdersEnded', { end: status });
  return true;
}

function waitsFor(status: string): WaitingFor {
  return isFinal(status) ? 'nobody' : 'service';
}
