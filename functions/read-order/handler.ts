import { createHash } from 'node:crypto';
import { updateOrder } from '../../core/aws/order-table.ts';
import { orderStep, type StepInput } from '../../core/driving/order-step.ts';
import { type CallFacts, ServiceUnavailable, Superseded, Throttled, UnexpectedResponse } from '../../core/errors.ts';
import { logger } from '../../core/log.ts';
import { count } from '../../core/metrics.ts';
import { hasMovedOn } from '../../core/offers/proven-confirms.ts';
import { noteRead } from '../../core/order/creation-hold.ts';
import { findDecision } from '../../core/order/decision-states.ts';
import { postponeReads } from '../../core/order/not-before.ts';
import { acceptName, readContext } from '../../core/order/operation-names.ts';
import { type OrderItem, readNotBefore } from '../../core/order/order-item.ts';
import { findOperation } from '../../core/order/order-ledger.ts';
import { drivenBy, findHolds, type Holds, loadOrder } from '../../core/order/order-record.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import { isQuiet } from '../../core/reading/changes.ts';
import { confirmedDecision } from '../../core/reading/cursor.ts';
import { decide } from '../../core/reading/decide.ts';
import { keptReadOf } from '../../core/reading/kept-read.ts';
import type { ReadOrderInput, ReadOrderOutput } from '../../core/reading/output.ts';
import type { Ledger, Read, View } from '../../core/reading/plan.ts';
import { secondsToWait } from '../../core/reading/poll.ts';
import { roundKindIn } from '../../core/reading/round.ts';
import type { ReadingRules } from '../../core/reading/rules.ts';
import { reachesOffers } from '../../core/reading/settled.ts';
import { reasonNotToRead } from '../../core/reading/without-read.ts';
import { confirmSettings, deadlineSettings, pollSettings, readSettings } from '../../core/settings.ts';
import { timeIn } from '../../core/time.ts';
import { type Answered, carryOut } from './carry-out.ts';

const stageRules = (): ReadingRules => ({ ...readSettings, ...pollSettings, ...deadlineSettings, ...confirmSettings });

/** Reads the order (specification, endpoint 2), decides what the answer means, and carries that out. */
async function readOrder({ execution: _execution, ...given }: ReadOrderInput & StepInput): Promise<ReadOrderOutput> {
  const { pause, creations, order } = await findHolds(given.orderRef);
  const record = drivenBy(given.generation, given.orderRef, order);
  const { waitedForPeople } = given.known;
  // A redriven execution restarts its counts, like a new one.
  const anew = record.stoppedAt !== undefined && { repeats: 0, known: { ...(waitedForPeople && { waitedForPeople }) } };
  const cursor = { ...given, ...anew };
  const answer = reasonNotToRead({ record, cursor }, pause, Date.now()) ?? (await ask(record, creations));
  const now = Date.now();
  if (waitAsked(answer) > pollSettings.longSeconds) count('LongWaits');
  if (answer.is !== 'read') return decideAndCarryOut(record, cursor, answer, now);
  const { seconds, remark } = secondsToWait(answer.order.pollAfterSeconds, stageRules());
  if (remark) logger.warn(remark);
  const nextReadAt = timeIn(seconds, now);
  try {
    return await decideAndCarryOut(await withLongerWait(record, seconds, nextReadAt), cursor, answer, now);
  } catch (error) {
    // The service has answered. Neither a repeat of this step nor another execution may read before nextReadAt.
    await Promise.allSettled([postponeReads(record.orderRef, nextReadAt)]);
    throw error;
  }
}

/** The seconds that a service asks to wait, also in an answer that cannot be used otherwise. */
function waitAsked(answer: Answered): number {
  const asked: CallFacts = answer.is === 'read' ? answer.order : ('error' in answer && answer.error.call) || {};
  return secondsToWait(asked.pollAfterSeconds ?? asked.retryAfterSeconds ?? asked.tokenWaitSeconds, stageRules())
    .seconds;
}

/**
 * Records a longer wait than the recorded one before anything else: if this function stops here, another execution would read too early.
 * The same wait need not be recorded: a new execution waits that long anyway.
 */
async function withLongerWait(record: OrderItem, seconds: number, readAt: string): Promise<OrderItem> {
  if (record.pollAfterSeconds === undefined || seconds <= record.pollAfterSeconds) return record;
  await postponeReads(record.orderRef, readAt);
  return { ...record, notBefore: { ...record.notBefore, readAt } };
}

async function ask({ orderRef, orderId = '' }: OrderItem, creations: Holds['creations']): Promise<Answered> {
  try {
    const answer = await orderService(readContext(orderRef, 'read-order')).readOrder(orderId);
    await noteRead(creations, true);
    return { is: 'read', ...answer, sha256: createHash('sha256').update(answer.text).digest('hex') };
  } catch (error) {
    if (error instanceof ServiceUnavailable) await noteRead(creations, false);
    if (error instanceof UnexpectedResponse) return { is: 'unusable', error };
    if (error instanceof Throttled && error.call.tokenWaitSeconds !== undefined) return { is: 'no token', error };
    if (error instanceof Throttled && error.call.retryAfterSeconds !== undefined) return { is: 'throttled', error };
    throw error;
  }
}

/**
 * Decides, and carries that out. If the record has changed since it was read, decides again from the new one. If another read was
 * recorded meanwhile, this answer is older, and is dropped.
 */
async function decideAndCarryOut(
  read: OrderItem,
  cursor: ReadOrderInput,
  answer: Answered,
  now: number,
): Promise<ReadOrderOutput> {
  const rules = stageRules();
  for (let record = read; ; ) {
    const { readAt } = record.notBefore;
    // An operator may have ended the wait, which makes no answer old.
    const isOld = readAt !== undefined && readAt !== read.notBefore.readAt;
    const found: Answered = isOld ? { is: 'too early', until: readNotBefore(record) ?? '' } : answer;
    const ledger = found.is === 'read' ? await loadLedger({ record, cursor }, found, rules, now) : { accepts: {} };
    const view = { record, cursor, ledger };
    const plan = decide(view, found, rules, now);
    const kept = found.is === 'read' ? keptReadOf(view, found, rules, plan) : undefined;
    if (await carryOut(record, found, plan, { now, kept })) return plan.output;
    // The answer was staged, and may be older than the recorded one. So the next read stages its own.
    await updateOrder(record.orderRef, { snapshotSha256: undefined }, 'attribute_exists(orderRef)');
    record = await loadOrder(cursor.orderRef, cursor.generation);
    if (record.dismissed || record.removal)
      throw new Superseded(`Order ${record.orderRef} was dismissed or erased. This execution stops.`);
  }
}

/** Reads from the ledger what `decide` needs, except what the execution already knows. */
async function loadLedger(view: Omit<View, 'ledger'>, read: Read, rules: ReadingRules, now: number): Promise<Ledger> {
  const { record, cursor } = view;
  const { orderRef, rounds } = record;
  const { order } = read;
  const { accepted } = cursor.known;
  const confirmed = confirmedDecision(record, cursor.known);
  const accepts: Ledger['accepts'] = {};
  if (isQuiet(view, read, rules, now)) return { accepts, decision: confirmed, isQuiet: true };
  const kinds = new Set([roundKindIn(record.status), roundKindIn(order.status)]);
  if (reachesOffers(record, order)) kinds.add('signatures');
  for (const kind of kinds) {
    const round = kind && rounds?.[kind];
    if (!round) continue;
    const name = acceptName(kind, round.number);
    accepts[kind] = name === accepted ? 'done' : ((await findOperation(orderRef, name))?.knowledge.state ?? 'none');
  }
  const hasOffers = order.status.startsWith('OFFERS_') || hasMovedOn(order);
  return { accepts, ...(hasOffers && { decision: confirmed ?? (await findDecision(record)) }) };
}

export const handler = orderStep(readOrder);
