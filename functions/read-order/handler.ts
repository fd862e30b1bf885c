import middy from '@middy/core';
import type { Cursor, Known } from '../create-order/handler.ts';
import { isBelieved, oneMore, type Repeats } from '../shared/believed.ts';
import type { Decision } from '../shared/choices.ts';
import { anyConfirmed, findDecision, isDecided, openPositions } from '../shared/decision.ts';
import { environmentNumber } from '../shared/environment.ts';
import { Throttled } from '../shared/errors.ts';
import type { State } from '../shared/ledger/knowledge.ts';
import { nextReadAfter, notReadBefore, recordNextRead } from '../shared/next-read.ts';
import { type NextStep, nextStep } from '../shared/next-step.ts';
import { acceptName } from '../shared/operation-names.ts';
import { logger, operatorLog } from '../shared/operator-log.ts';
import { settleAsNotDone } from '../shared/order-ledger.ts';
import { changeOrder, loadCreatedOrder, type OrderItem } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import type { Order } from '../shared/order-service-client.ts';
import { postpone } from '../shared/postpone.ts';
import { acceptState, roundOf, settleAccept } from '../shared/settle-accepts.ts';
import { hasMovedOn, settleConfirms } from '../shared/settle-confirms.ts';
import { secondsUntil, timeIn } from '../shared/time.ts';
import { handOver } from './hand-over.ts';
import { bringsNothing, type Read, recordRead, stageRead } from './keep-read.ts';
import { tellUnsigned } from './tell-unsigned.ts';

/** What the state machine hands to a read: the cursor without the wait, which is over. */
export type ReadOrderInput = Omit<Cursor, 'pollAfterSeconds' | 'known'> & {
  /** Absent in executions that began before it travelled. */
  known?: Known;
};

/** The cursor with what the state machine routes by. Lists hold positions, not names: a `fileId` may say anything. */
export interface ReadOrderOutput extends Cursor {
  status: string;
  todo: NextStep['todo'] | 'continue';
  documents: { orderRef: string; generation: number; position: number }[];
  choices: { orderRef: string; generation: number; position: number }[];
  round: number;
  /** Who signs; an order from before this was recorded is signed by the partner. */
  signing: 'external' | 'kms';
}

/** `GET /v1/orders/{orderId}` (specification, endpoint 2), what changed into staging and the record, and the next step. */
async function readOrder(cursor: ReadOrderInput): Promise<ReadOrderOutput> {
  const record = await loadCreatedOrder(cursor.orderRef, cursor.generation);
  const output = await read(record, cursor);
  const { todo, repeats, known, generation } = output;
  if (todo === 'continue' && repeats > 0) {
    const since = known.repeatedSince ?? new Date().toISOString();
    await changeOrder(record, { repeats: { reads: repeats, since, generation } });
  }
  return output;
}

async function read(record: OrderItem & { orderId: string }, cursor: ReadOrderInput): Promise<ReadOrderOutput> {
  const early = tooEarly(record, cursor);
  if (early) return waitOutput(record, cursor, early);
  let answer: { text: string; order: Order };
  try {
    answer = await orderService().readOrder(record.orderId);
  } catch (error) {
    return waitOutput(record, cursor, await waitForThrottled(record, error));
  }
  const nextRead = nextReadAfter(answer.order);
  try {
    return await takeStep({ record, ...answer, nextRead }, cursor);
  } catch (error) {
    // The service has answered: neither a repeat of this step nor another execution may read before the time is up.
    await Promise.allSettled([recordNextRead(record.orderRef, nextRead)]);
    throw error;
  }
}

async function takeStep(read: Read, cursor: ReadOrderInput): Promise<ReadOrderOutput> {
  const { record, order, nextRead } = read;
  if (isQuiet(read, cursor)) return quietOutput(read, cursor);
  await stageRead(read);
  const offers = order.offers ?? [];
  const decision = await knownDecision(read);
  const open = openPositions(decision, offers);
  const repeats = repeatsBefore(record, cursor);
  const step = nextStep(order, {
    record,
    accept: await acceptOfRound(read, cursor),
    openChoices: open.length,
    decided: isDecided(decision, offers),
    confirmed: anyConfirmed(decision),
    isBelieved: order.status === record.status && isBelieved(repeats),
  });
  await settleRound(read, step, cursor);
  await tellUnsigned(read, cursor.known);
  const nextReadAt = (await recordRead(read, step)) ? nextRead.nextReadAt : (notReadBefore(record) ?? '');
  const files = step.todo === 'act' ? filePositions(record, order, step) : [];
  const counted = step.isAnswered && oneMore(order.status === record.status ? repeats : undefined);
  return {
    orderRef: record.orderRef,
    generation: record.generation,
    repeats: counted?.reads ?? 0,
    ...handOver(cursor, step.todo, files.length + offers.length),
    status: order.status,
    ...{ pollAfterSeconds: nextRead.pollAfterSeconds, nextReadAt },
    known: step.todo === 'wait' ? knownAfter(record, cursor, counted) : {},
    round: step.signaturesRound?.number ?? step.documentsRound ?? 0,
    documents: items(record, files),
    choices: items(record, open),
    signing: record.signing ?? 'external',
  };
}

/**
 * Whether nothing can have come to be done: the order is as it was at the read before, which found nothing to do, and the decision too.
 * Whatever else the ledger has learnt since then shows in the order. A read since then whose answer was lost has moved `nextReadAt` on
 * if it found something. A status that is answered again and again is looked at in full.
 */
function isQuiet(read: Read, cursor: ReadOrderInput): boolean {
  const { record } = read;
  const { known, nextReadAt } = cursor;
  const isLookedAt = known?.decision !== undefined && known.decision === record.decision?.version;
  const isLastRead = nextReadAt === (notReadBefore(record) ?? '');
  return isLookedAt && isLastRead && !isBelieved(repeatsBefore(record, cursor)) && bringsNothing(read);
}

/** The read before once more. */
function quietOutput({ record, nextRead }: Read, cursor: ReadOrderInput): ReadOrderOutput {
  const { pollAfterSeconds } = nextRead;
  const wait = { pollAfterSeconds, nextReadAt: notReadBefore(record) ?? '' };
  const repeats = cursor.repeats > 0 ? cursor.repeats + 1 : 0;
  return { ...waitOutput(record, cursor, wait), repeats, known: cursor.known ?? {} };
}

function knownAfter({ decision }: OrderItem, { known }: ReadOrderInput, counted: Repeats | undefined): Known {
  return {
    ...(known?.accepted && { accepted: known.accepted }),
    ...(decision && { decision: decision.version }),
    ...(counted && { repeatedSince: counted.since }),
  };
}

/** The repeats before this read: those of this execution, or of the one before that handed over to it. */
function repeatsBefore({ repeats, generation }: OrderItem, cursor: ReadOrderInput): Repeats | undefined {
  if (cursor.reads === 0) return repeats?.generation === generation - 1 ? repeats : undefined;
  const since = cursor.known?.repeatedSince;
  return cursor.repeats > 0 && since !== undefined ? { reads: cursor.repeats, since } : undefined;
}

/** What was decided on the offers. What the order proves of confirms that nobody knows the outcome of is recorded first. */
async function knownDecision({ record, order }: Read): Promise<Decision | undefined> {
  if (!order.status.startsWith('OFFERS_') && !hasMovedOn(order)) return undefined;
  const decision = await findDecision(record);
  return decision && settleConfirms(record, decision, order);
}

type Wait = Pick<Cursor, 'pollAfterSeconds' | 'nextReadAt'>;

/**
 * The wait that is left where the order may not be read yet: a step has read it meanwhile, or was told to come back later. Where the
 * time is the one that the wait before this read was set for, it is over; no clock is asked, since those of AWS differ a little.
 */
function tooEarly(record: OrderItem, cursor: ReadOrderInput): Wait | undefined {
  const nextReadAt = notReadBefore(record);
  const pollAfterSeconds = secondsUntil(nextReadAt);
  if (nextReadAt === undefined || nextReadAt === cursor.nextReadAt || pollAfterSeconds === 0) return undefined;
  return { pollAfterSeconds, nextReadAt };
}

/** A read that is throttled with a `Retry-After` has its next wait from there; any other failure is thrown on. */
async function waitForThrottled(record: OrderItem, error: unknown): Promise<Wait> {
  if (!(error instanceof Throttled) || error.retryAfterSeconds === undefined) throw error;
  const least = record.pollAfterSeconds ?? environmentNumber('POLL_MINIMUM_SECONDS');
  const seconds = Math.min(Math.max(error.retryAfterSeconds, least), environmentNumber('POLL_MAXIMUM_SECONDS'));
  const nextReadAt = timeIn(seconds);
  await postpone(record.orderRef, 'nextReadAt', nextReadAt);
  logger.warn('The order service wants to be read later', { nextReadAt });
  return { pollAfterSeconds: seconds, nextReadAt };
}

/** Nothing was read: the order stands where the record has it, and is waited for. The next read looks everything up. */
function waitOutput(record: OrderItem, cursor: ReadOrderInput, wait: Wait): ReadOrderOutput {
  const { orderRef, generation, status, signing = 'external' } = record;
  const nothing = { round: 0, documents: [], choices: [], signing };
  const repeats = repeatsBefore(record, cursor);
  const known = repeats ? { repeatedSince: repeats.since } : {};
  return {
    ...{ orderRef, generation, repeats: repeats?.reads ?? 0, status, known },
    ...{ ...handOver(cursor, 'wait', 0), ...wait, ...nothing },
  };
}

/** What is known of the accept of the round that the order waits in: asked of the ledger only where this execution has not made it itself. */
async function acceptOfRound({ record, order: { status } }: Read, { known }: ReadOrderInput): Promise<State> {
  const round = roundOf(record, status);
  return round ? acceptState(record, round, known?.accepted) : 'none';
}

/** Records what the read tells of an accept whose outcome was unknown. */
async function settleRound({ record, order }: Read, step: NextStep, { known }: ReadOrderInput): Promise<void> {
  const left = roundOf(record, record.status);
  if (!left) return;
  if (step.isNotAccepted) return settleAsNotDone(record.orderRef, acceptName(left.kind, left.number));
  const isNext = (step.signaturesRound?.number ?? 0) > left.number && left.kind === 'signatures';
  if (isNext || order.status !== record.status) await settleAccept(record, left, known?.accepted);
}

/** Positions of the documents to upload, or of those to sign. */
function filePositions(record: OrderItem, order: Order, step: NextStep): number[] {
  const files = order.status === 'WAITING_FOR_DOCUMENTS' ? record.documents : (step.signaturesRound?.fileIds ?? []);
  return [...files.keys()];
}

function items({ orderRef, generation }: OrderItem, positions: number[]) {
  return positions.map((position) => ({ orderRef, generation, position }));
}

export const handler = middy(readOrder).use(operatorLog());
