import type { Cursor, Known } from '../create-order/handler.ts';
import { isOverdue } from '../shared/awaited.ts';
import { isBelieved, oneMore, type Repeats } from '../shared/believed.ts';
import type { Decision } from '../shared/choices.ts';
import { anyConfirmed, findDecision, isDecided, openPositions } from '../shared/decision.ts';
import { environmentNumber } from '../shared/environment.ts';
import { Rejected, Throttled, UnexpectedResponse } from '../shared/errors.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import type { State } from '../shared/ledger/knowledge.ts';
import { type NextRead, nextReadAfter, notReadBefore, recordNextRead } from '../shared/next-read.ts';
import { type NextStep, nextStep } from '../shared/next-step.ts';
import { acceptName } from '../shared/operation-names.ts';
import { keepRefusal, logger, operatorLog } from '../shared/operator-log.ts';
import type { OrderAnswer } from '../shared/order-answer.ts';
import { settleAsNotDone } from '../shared/order-ledger.ts';
import { addEvent, changeOrder, loadCreatedOrder, type OrderItem } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import type { Order } from '../shared/order-service-client.ts';
import { postpone } from '../shared/postpone.ts';
import { acceptState, roundOf, settleAccept } from '../shared/settle-accepts.ts';
import { hasMovedOn, settleConfirms } from '../shared/settle-confirms.ts';
import { stageJson } from '../shared/staging.ts';
import { LONGEST_WAIT_SECONDS, secondsUntil, timeIn } from '../shared/time.ts';
import { askAgain } from './ask-again.ts';
import { closePages } from './close-pages.ts';
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
  todo: NextStep['todo'] | 'continue' | 'overdue';
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

async function read(known: OrderItem & { orderId: string }, cursor: ReadOrderInput): Promise<ReadOrderOutput> {
  let record = known;
  const early = tooEarly(record, cursor);
  if (early) return waitOutput(record, cursor, early);
  let answer: OrderAnswer & { text: string };
  try {
    answer = await orderService().readOrder(record.orderId);
  } catch (error) {
    const failed = error instanceof UnexpectedResponse ? await waitForUsable(record, cursor, error) : undefined;
    return failed ?? waitOutput(record, cursor, await waitForThrottled(record, error));
  }
  const nextRead = nextReadAfter(answer.order);
  try {
    record = await noteLongWait(record, nextRead);
    return await takeStep({ record, ...answer, nextRead }, cursor);
  } catch (error) {
    // The service has answered: neither a repeat of this step nor another execution may read before the time is up.
    await Promise.allSettled([recordNextRead(record.orderRef, nextRead)]);
    throw error;
  }
}

/** A wait that is longer than people expect is in the record and in the timeline, whatever else the read brings. */
async function noteLongWait<Noted extends OrderItem>(record: Noted, nextRead: NextRead): Promise<Noted> {
  if (nextRead.pollAfterSeconds <= environmentNumber('LONG_WAIT_SECONDS')) return record;
  const { nextReadAt } = nextRead;
  await recordNextRead(record.orderRef, nextRead);
  await addEvent(record.orderRef, 'The order service asks for a long wait', { nextReadAt });
  return { ...record, nextReadAt };
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
  const again = await askAgain(record, order, step);
  const nextReadAt = (await recordRead(read, again)) ? nextRead.nextReadAt : (notReadBefore(record) ?? '');
  if (order.status === 'CLOSED') await closePages(record, decision);
  else refuseIfRefused(record, cursor);
  const files = step.todo === 'act' ? filePositions(record, order, step) : [];
  const counted = step.isAnswered && oneMore(order.status === record.status ? repeats : undefined);
  return {
    orderRef: record.orderRef,
    generation: record.generation,
    repeats: counted?.reads ?? 0,
    // To ask again is done with no offer, however many there are.
    ...handOver(cursor, step.todo, files.length + (again.isAsked ? 0 : offers.length)),
    ...(again.isAsked && isOverdue(record) && { todo: 'overdue' as const }),
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

/** What an answer has to be looked at for. */
function notYetLookedAt({ known }: ReadOrderInput): Known {
  return known?.confirms ? { confirms: known.confirms } : {};
}

/**
 * The service refused a choice, and the others have gone out. An order that is CLOSED by now needs nobody; one that is not needs a person,
 * unless there has been another decision since.
 */
function refuseIfRefused({ orderRef, decision }: OrderItem, { known }: ReadOrderInput): void {
  const refused = (known?.confirms ?? []).filter(({ refused: version }) => version === (decision?.version ?? 0));
  if (refused.length === 0) return;
  throw new Rejected(
    `Order ${orderRef}: the order service refused the confirm of ${refused.length === 1 ? 'an offer' : `${refused.length} offers`}; every other one that was chosen has gone out. choices.json in staging says which, errors/ why.`,
  );
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
  const seconds = Math.min(Math.max(error.retryAfterSeconds, least), LONGEST_WAIT_SECONDS);
  const nextReadAt = timeIn(seconds);
  await postpone(record.orderRef, 'nextReadAt', nextReadAt);
  logger.warn('The order service wants to be read later', { nextReadAt });
  return { pollAfterSeconds: seconds, nextReadAt };
}

/**
 * An answer that can't be used is kept for the operator, and the order is read again: to read is safe, and what comes from a gateway or a
 * service that is being changed passes. Thrown on once as many reads in a row brought none that can be used as the stage allows.
 */
async function waitForUsable(
  record: OrderItem,
  cursor: ReadOrderInput,
  error: UnexpectedResponse,
): Promise<ReadOrderOutput> {
  const unusable = (cursor.known?.unusable ?? 0) + 1;
  if (unusable >= environmentNumber('UNUSABLE_READS_LIMIT')) throw error;
  logger.warn(`${error.message} The order is read again.`, { unusable });
  await keepRefusal(error, (name, refusal) => stageJson(record.orderRef, name, refusal));
  const pollAfterSeconds = record.pollAfterSeconds ?? environmentNumber('POLL_DEFAULT_SECONDS');
  const nextRead = { pollAfterSeconds, nextReadAt: timeIn(pollAfterSeconds) };
  await postpone(record.orderRef, 'nextReadAt', nextRead.nextReadAt);
  const output = waitOutput(record, cursor, nextRead);
  return { ...output, known: { ...output.known, unusable } };
}

/** Nothing was read: the order stands where the record has it, and is waited for. The next read looks everything up. */
function waitOutput(record: OrderItem, cursor: ReadOrderInput, wait: Wait): ReadOrderOutput {
  const { orderRef, generation, status, signing = 'external' } = record;
  const nothing = { round: 0, documents: [], choices: [], signing };
  const repeats = repeatsBefore(record, cursor);
  return {
    ...{ orderRef, generation, repeats: repeats?.reads ?? 0, status },
    known: { ...notYetLookedAt(cursor), ...(repeats && { repeatedSince: repeats.since }) },
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

export const handler = lambdaHandler(readOrder).use(operatorLog());
