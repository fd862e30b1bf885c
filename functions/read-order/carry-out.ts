import { createHash } from 'node:crypto';
import { orderTable } from '../../core/aws/order-table.ts';
import { publishAnswer } from '../../core/driving/order-step.ts';
import { loggable } from '../../core/errors.ts';
import { memberText } from '../../core/json/lossless-json.ts';
import { logger } from '../../core/log.ts';
import { count } from '../../core/metrics.ts';
import { postponeReads } from '../../core/order/not-before.ts';
import { isFinal, type OrderItem } from '../../core/order/order-item.ts';
import { settle } from '../../core/order/order-ledger.ts';
import { commitRead, findOrder, markPage } from '../../core/order/order-record.ts';
import { addToTimelineOnce, type Line } from '../../core/order/timeline.ts';
import { forgetCallbacks } from '../../core/order/waits.ts';
import type { Kept } from '../../core/reading/kept-read.ts';
import type { Plan, Read, Unread } from '../../core/reading/plan.ts';
import { sendOutbox } from '../../core/staging/send-outbox.ts';
import { publishText } from '../../core/staging/staging.ts';

/** The service's answer as it is staged for people. */
interface Texts {
  /** The service's body, unchanged. */
  text: string;
  /** Text of `offers[]`, with identifiers as strings and each offer's status in `status`. */
  offersText: string | undefined;
}

export type Answered = Unread | (Read & Texts);

/**
 * Carries a plan out. Changes the record last, so an interrupted step repeats everything before that. Then sends the pages and events.
 * @returns false if the record has changed since it was read. Then a plan must be made from the new record.
 * @throws the plan's failure.
 */
export async function carryOut(
  record: OrderItem,
  answer: Answered,
  plan: Plan,
  { now, kept }: { now: number; kept: Kept | undefined },
): Promise<boolean> {
  const { orderRef } = record;
  if (answer.is === 'read' && answer.sha256 !== record.snapshotSha256) await stage(orderRef, answer);
  await tell(orderRef, plan, now, kept);
  const marked = await settleAll(record, plan);
  if (!marked) return false;
  if (plan.forget) await forgetCallbacks(orderRef, plan.forget, now);
  const changed = plan.record ? await commit(marked, plan.record) : marked;
  if (!changed) return false;
  await sendOutbox(changed);
  countEnd(record, changed);
  if (plan.postpone !== undefined) await postponeReads(orderRef, plan.postpone, plan.reason);
  if (plan.failure) throw plan.failure;
  if ('error' in answer) await reportUnread(orderRef, answer, plan);
  return true;
}

/**
 * Records outcomes of operations. `choices.json` shows outcomes of confirms, which are in other items, so the page is marked first.
 * @returns the order, marked; undefined if it has changed since it was read.
 */
async function settleAll(record: OrderItem, { settled = [] }: Plan): Promise<OrderItem | undefined> {
  const { orderRef, outboxCount = 0 } = record;
  const shows = settled.some(({ name }) => name.startsWith('confirm#'));
  const marked = shows ? await markPage(record, 'choices.json') : record;
  if (shows && marked.outboxCount !== outboxCount + 1) return undefined;
  for (const { name, outcome } of settled) await settle(orderRef, name, outcome);
  return marked;
}

/** Adds the lines to the timeline, and stores the read with the last one. */
async function tell(orderRef: string, { lines = [] }: Plan, now: number, kept: Kept | undefined): Promise<void> {
  for (const line of lines) await addLine(orderRef, line, now, line === lines.at(-1) ? kept?.text : undefined);
  if (kept && lines.length === 0) await keepAlone(orderRef, kept, now);
}

function countEnd(before: OrderItem, { status }: OrderItem): void {
  if (isFinal(status) && status !== before.status) count('OrdersEnded', { end: status });
}

async function stage(orderRef: string, { text, offersText, order }: Read & Texts): Promise<void> {
  await publishText(orderRef, 'snapshot.json', text);
  if (offersText !== undefined) await publishText(orderRef, 'offers.json', offersText);
  if (order.status === 'VALIDATION_FAILED')
    await publishText(orderRef, 'issues.json', memberText(text, 'issues') ?? '[]');
}

/** The SDK repeats a write whose answer was lost. The repeat finds what the write itself has recorded. */
async function commit(record: OrderItem, change: NonNullable<Plan['record']>): Promise<OrderItem | undefined> {
  const committed = await commitRead(record, change);
  if (committed) return committed;
  const now = await findOrder(record.orderRef);
  const { notBefore, snapshotSha256 = record.snapshotSha256 } = change.changes;
  const isOwn = notBefore?.readAt !== undefined && now?.notBefore.readAt === notBefore.readAt;
  return isOwn && now.snapshotSha256 === snapshotSha256 ? now : undefined;
}

/** The line's name follows from its text, so a plan that is carried out again does not add it again. */
async function addLine(orderRef: string, line: Line, now: number, read: string | undefined): Promise<void> {
  const name = createHash('sha256').update(JSON.stringify(line)).digest('hex').slice(0, 8);
  await addToTimelineOnce(orderRef, { at: new Date(now).toISOString(), name, read }, line.what, line.facts);
}

/** Stores a read without a timeline line. A wait for people that begins again has the same plan, which is stored once. */
async function keepAlone(orderRef: string, { name, text: read }: Kept, now: number) {
  const key = { orderRef, item: `read#${name}` };
  await orderTable.updateItem(key, { at: new Date(now).toISOString(), read }, 'attribute_not_exists(orderRef)');
}

/** Logs why the order was not read, and stages an unusable answer for operators. */
async function reportUnread(
  orderRef: string,
  { is, error }: Extract<Unread, { error: unknown }>,
  { postpone, output }: Plan,
): Promise<void> {
  const facts = loggable(error.call);
  if (is === 'no token') return logger.warn(`${error.message} The order is read later.`, facts);
  if (is === 'throttled')
    return logger.warn('The order service asked us to read later', { ...facts, nextReadAt: postpone });
  logger.warn(`${error.message} The order is read again.`, { ...facts, unusable: output.known.unusable?.reads });
  await publishAnswer(orderRef, error);
}
