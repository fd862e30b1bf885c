import { Rejected, UnexpectedResponse } from '../../core/errors.ts';
import { anyConfirmed, isDecided, openPositions } from '../../core/offers/decision.ts';
import { hasMovedOn, settleConfirms } from '../../core/offers/settle-confirms.ts';
import { readContext } from '../../core/order/operation-names.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { loadOrderToCallFor, type OrderToCallFor } from '../../core/order/order-record.ts';
import { endPostponement } from '../../core/order/throttling.ts';
import { addEvent } from '../../core/order/timeline.ts';
import type { OrderAnswer } from '../../core/order-service/order-answer.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import type { Order } from '../../core/order-service/order-service-client.ts';
import { type Decision, findDecision, isUnsettled } from '../../core/people/decision-states.ts';
import { orderStep } from '../../core/people/operator-log.ts';
import { changeOrder } from '../../core/people/publish-changes.ts';
import { isBelieved, oneMore } from '../../core/reading/believed.ts';
import { grownSeconds, nextReadAfter, notReadBefore, recordNextRead } from '../../core/reading/next-read.ts';
import { type NextStep, nextStep } from '../../core/reading/next-step.ts';
import { acceptOfRound, recordUnsigned, settleRound } from './accepts.ts';
import { askAgain, waitOn, waitSecondsIn } from './ask-again.ts';
import {
  createOutput,
  handOver,
  isToMoveNow,
  items,
  knownAfter,
  moveOutput,
  type ReadOrderInput,
  type ReadOrderOutput,
  repeatsBefore,
  type Wait,
  waitOutput,
} from './cursor.ts';
import { isUnchanged, type Read, recordRead, stageRead } from './keep-read.ts';
import { heldWait, recordLongerWait, remainingWait, waitForThrottled, waitForUsable } from './wait-instead.ts';

/** Reads the order (specification, endpoint 2), stages and records what has changed, and decides on the next step. */
async function readOrder(cursor: ReadOrderInput): Promise<ReadOrderOutput> {
  const record = await loadOrderToCallFor(cursor.orderRef, cursor.generation);
  const output = await outputOf(record, cursor);
  const { todo, repeats, known, generation } = output;
  if (todo === 'continue' && repeats > 0) {
    const since = known.repeatedSince ?? new Date().toISOString();
    await changeOrder(record, { repeats: { reads: repeats, since, generation } });
  }
  return output;
}

async function outputOf(record: OrderToCallFor, cursor: ReadOrderInput): Promise<ReadOrderOutput> {
  const { orderId } = record;
  if (record.status !== 'CLOSED' && isToMoveNow(record, cursor)) return moveOutput(record, cursor);
  const held = heldWait(record, cursor);
  if (held) return waitInstead(record, cursor, held, undefined);
  return orderId === undefined ? createOutput(record, cursor) : read({ ...record, orderId }, cursor);
}

async function read(known: OrderItem & { orderId: string }, cursor: ReadOrderInput): Promise<ReadOrderOutput> {
  let record = known;
  const early = remainingWait(record, cursor);
  if (early) return waitInstead(record, cursor, early, early.pollAfterSeconds);
  let answer: OrderAnswer & { text: string };
  try {
    answer = await orderService(readContext(record.orderRef, 'read-order')).readOrder(record.orderId);
  } catch (error) {
    const failed = error instanceof UnexpectedResponse ? await waitForUsable(record, cursor, error) : undefined;
    return failed ?? waitOutput(record, cursor, await waitForThrottled(record, error));
  }
  const nextRead = nextReadAfter(answer.order);
  try {
    record = await recordLongerWait(await endPostponement(record), nextRead);
    return await takeStep({ record, ...answer, nextRead }, cursor);
  } catch (error) {
    // The service has answered. Neither a repeat of this step nor another execution may read before nextReadAt.
    await Promise.allSettled([recordNextRead(record.orderRef, nextRead)]);
    throw error;
  }
}

async function waitInstead(
  record: OrderItem,
  cursor: ReadOrderInput,
  wait: Wait,
  nextReadSeconds: number | undefined,
): Promise<ReadOrderOutput> {
  const isForPeople = cursor.known?.waitedForPeople;
  return isForPeople ? waitOn(record, cursor, wait, nextReadSeconds) : waitOutput(record, cursor, wait);
}

async function takeStep(read: Read, cursor: ReadOrderInput): Promise<ReadOrderOutput> {
  const { record, order, nextRead } = read;
  if (isQuiet(read, cursor)) return quietOutput(read, cursor);
  await stageRead(read);
  const offers = order.offers ?? [];
  const repeats = repeatsBefore(record, cursor);
  const believed = order.status === record.status && isBelieved(repeats);
  const decision = await knownDecision(read, believed);
  const open = openPositions(decision, offers);
  const step = nextStep(order, {
    record,
    accept: await acceptOfRound(read, cursor),
    openChoices: open.length,
    isUnsettled: decision?.choices.some(isUnsettled) ?? false,
    isDecided: isDecided(decision, offers),
    isConfirmed: anyConfirmed(decision),
    isBelieved: believed,
  });
  await settleRound(read, step, cursor);
  await recordUnsigned(read, cursor.known);
  await recordUnknown(read, decision);
  const again = await askAgain(record, order, step);
  const nextReadAt = (await recordRead(read, again)) ? nextRead.nextReadAt : (notReadBefore(record) ?? '');
  if (order.status !== 'CLOSED') failAfterRefusal(record, cursor);
  const files = step.todo === 'act' ? filePositions(record, order, step) : [];
  const counted = step.isAnswered && oneMore(order.status === record.status ? repeats : undefined);
  return {
    orderRef: record.orderRef,
    generation: record.generation,
    repeats: counted?.reads ?? 0,
    // Continuing a wait for people is no work on the offers.
    ...handOver(cursor, step.todo, files.length + (again.isAsked ? 0 : offers.length)),
    status: order.status,
    // A read that must settle something comes as soon as the service allows.
    pollAfterSeconds:
      step.todo === 'wait' && !step.isAnswered
        ? grownSeconds(nextRead, record, order.status)
        : nextRead.pollAfterSeconds,
    nextReadAt,
    known: step.todo === 'wait' ? knownAfter(record, cursor, counted) : {},
    round: step.signaturesRound?.number ?? step.documentsRound ?? 0,
    documents: items(record, files),
    toConfirm: items(record, open),
    signing: record.signing,
    waitSeconds: waitSecondsIn(order.status, record, again.isAsked === true),
  };
}

/**
 * Whether the last read found nothing to do and nothing has changed since: neither the order nor the decision. `nextReadAt`
 * shows whether there was another read in between. A repeated status that is believed by now is never quiet.
 */
function isQuiet(read: Read, cursor: ReadOrderInput): boolean {
  const { record } = read;
  const { known, nextReadAt } = cursor;
  const isSameDecision = known?.decision !== undefined && known.decision === record.decision?.version;
  const isLastRead = nextReadAt === (notReadBefore(record) ?? '');
  return isSameDecision && isLastRead && !isBelieved(repeatsBefore(record, cursor)) && isUnchanged(read);
}

/** The output of the last read, with the new wait. */
function quietOutput({ record, order, nextRead }: Read, cursor: ReadOrderInput): ReadOrderOutput {
  const isSettling = cursor.repeats > 0;
  const pollAfterSeconds = isSettling ? nextRead.pollAfterSeconds : grownSeconds(nextRead, record, order.status);
  const wait = { pollAfterSeconds, nextReadAt: notReadBefore(record) ?? '' };
  const repeats = isSettling ? cursor.repeats + 1 : 0;
  return { ...waitOutput(record, cursor, wait), repeats, known: cursor.known ?? {} };
}

/**
 * Fails the execution if the service refused a confirm, unless there is another decision since. The other choices have been
 * sent by now.
 */
function failAfterRefusal({ orderRef, decision }: OrderItem, { known }: ReadOrderInput): void {
  const refused = (known?.confirms ?? []).filter(({ refused: version }) => version === (decision?.version ?? 0));
  if (refused.length === 0) return;
  throw new Rejected(
    `Order ${orderRef}: the order service refused the confirm of ${refused.length === 1 ? 'an offer' : `${refused.length} offers`}. All other chosen offers were sent. In staging, choices.json says which was refused, and errors/ says why.`,
  );
}

/** The decision on the offers. First records the outcomes of confirms that the order shows. */
async function knownDecision({ record, order }: Read, believed: boolean): Promise<Decision | undefined> {
  if (!order.status.startsWith('OFFERS_') && !hasMovedOn(order)) return undefined;
  const decision = await findDecision(record);
  return decision && settleConfirms(record, decision, { order, isBelieved: believed });
}

/** Shows operators how many confirms of an order that is closed have an unknown outcome. */
async function recordUnknown({ record, order }: Read, decision: Decision | undefined): Promise<void> {
  const confirms = decision?.choices.filter(({ confirm }) => confirm === 'open').length ?? 0;
  if (order.status !== 'CLOSED' || record.status === 'CLOSED' || confirms === 0) return;
  await addEvent(record.orderRef, 'Closed with confirms of unknown outcome: ask the bank', { confirms });
}

/** Positions of the documents to upload, or of those to sign. */
function filePositions(record: OrderItem, order: Order, step: NextStep): number[] {
  const files = order.status === 'WAITING_FOR_DOCUMENTS' ? record.documents : (step.signaturesRound?.fileIds ?? []);
  return [...files.keys()];
}

export const handler = orderStep(readOrder);
