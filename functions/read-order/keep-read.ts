import { createHash } from 'node:crypto';
import { memberText } from '../shared/json/lossless-json.ts';
import { isFinal, type OrderItem, type WaitingFor } from '../shared/order/order-item.ts';
import { changeWaiting, loadOrder } from '../shared/order/order-record.ts';
import type { Order } from '../shared/order/order-service-client.ts';
import { stageStatus, stageText } from '../shared/order/staging.ts';
import { addEvent } from '../shared/order/timeline.ts';
import type { NextRead } from '../shared/polling/next-read.ts';
import type { NextStep } from '../shared/polling/next-step.ts';

/** What a read brought, beside what the record knows. `text` is the service's body, untouched. */
export interface Read {
  record: OrderItem;
  order: Order;
  text: string;
  /** `offers[]`, with identifiers as texts and each offer's status as `status`. */
  offersText: string | undefined;
  nextRead: NextRead;
}

const snapshotHash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Whether the order is as the record has it, to the letter. */
export function bringsNothing({ record, order, text }: Read): boolean {
  return standsStill(record, order.status) && snapshotHash(text) === record.snapshotSha256;
}

function standsStill(record: OrderItem, status: string): boolean {
  return status === record.status && waitsFor(status) === record.waitingFor;
}

/** Stages the read for people, before anything is made of it. A read that brings nothing new writes nothing. */
export async function stageRead({ record, order, text, offersText }: Read): Promise<void> {
  if (snapshotHash(text) === record.snapshotSha256) return;
  await stageText(record.orderRef, 'snapshot.json', text);
  if (offersText !== undefined) await stageText(record.orderRef, 'offers.json', offersText);
  if (order.status !== 'VALIDATION_FAILED') return;
  await stageText(record.orderRef, 'issues.json', memberText(text, 'issues') ?? '[]');
}

/**
 * Records the read and the round that it begins. The record is changed last: a step that is interrupted before that is run
 * again whole, and says the same once more. What follows from a read to be acted on may read the order too, so that the time of
 * the next read is recorded with each of these; a read to be waited on that brings nothing new writes nothing.
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
  if (bringsNothing(read) && Object.keys(rounds).length === 0 && step.todo === 'wait') return false;
  const stands = status === record.status && waitingFor === record.waitingFor;
  if (!stands) await stageStatus({ ...record, status, waitingFor });
  if (status !== record.status) await addEvent(record.orderRef, `Status ${status}`);
  // Whoever was asked need not answer any more: when the order comes back to that status, it asks anew.
  const asked = status !== record.status && { awaited: undefined };
  const waits = await changeWaiting(record, { snapshotSha256, status, waitingFor, ...asked, ...rounds, ...nextRead });
  // What was staged above is not so: the execution has ended meanwhile.
  if (!waits) await stageStatus(await loadOrder(record.orderRef, record.generation));
  return true;
}

function waitsFor(status: string): WaitingFor {
  return isFinal(status) ? 'nobody' : 'service';
}
