import type { Cursor, Known } from '../create-order/handler.ts';
import { isOverdue } from '../shared/awaited.ts';
import type { Decision } from '../shared/choices.ts';
import { anyConfirmed, findDecision, isDecided, openPositions } from '../shared/decision.ts';
import { environmentNumber } from '../shared/environment.ts';
import { Rejected, Throttled, UnexpectedResponse } from '../shared/errors.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { type NextRead, nextReadAfter, notReadBefore, recordNextRead } from '../shared/next-read.ts';
import { type NextStep, nextStep } from '../shared/next-step.ts';
import { acceptName } from '../shared/operation-names.ts';
import { keepRefusal, logger, operatorLog } from '../shared/operator-log.ts';
import type { OrderAnswer } from '../shared/order-answer.ts';
import { isDone } from '../shared/order-ledger.ts';
import { addEvent, loadCreatedOrder, type OrderItem } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import type { Order } from '../shared/order-service-client.ts';
import { postpone } from '../shared/postpone.ts';
import { hasMovedOn, settleConfirms } from '../shared/settle-confirms.ts';
import { stageJson } from '../shared/staging.ts';
import { LONGEST_WAIT_SECONDS, secondsUntil, timeIn } from '../shared/time.ts';
import { askAgain } from './ask-again.ts';
import { closePages } from './close-pages.ts';
import { handOver } from './hand-over.ts';
import { bringsNothing, type Read, recordRead, stageRead } from './keep-read.ts';

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
  let record = await loadCreatedOrder(cursor.orderRef, cursor.generation);
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
  const facts = {
    ...{ openChoices: open.length, decided: isDecided(decision, offers), confirmed: anyConfirmed(decision) },
    isMeant: cursor.repeats >= environmentNumber('REPEATS_LIMIT'),
  };
  const step = nextStep(order, { ...facts, ...(await roundFacts(read, cursor)), record });
  const again = await askAgain(record, order, step);
  const nextReadAt = (await recordRead(read, again)) ? nextRead.nextReadAt : (notReadBefore(record) ?? '');
  if (order.status === 'CLOSED') await closePages(record, decision);
  else refuseIfRefused(record, cursor);
  const files = step.todo === 'act' ? filePositions(record, order, step) : [];
  return {
    ...{ orderRef: record.orderRef, generation: record.generation, repeats: step.isAnswered ? cursor.repeats + 1 : 0 },
    ...handOver(cursor, step.todo, files.length + offers.length),
    ...(again.isAsked && isOverdue(record) && { todo: 'overdue' as const }),
    status: order.status,
    ...{ pollAfterSeconds: nextRead.pollAfterSeconds, nextReadAt },
    known: step.todo === 'wait' ? knownAfter(record, cursor) : {},
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
function isQuiet(read: Read, { known, repeats, nextReadAt }: ReadOrderInput): boolean {
  const { record } = read;
  const isLookedAt = known?.decision !== undefined && known.decision === record.decision?.version;
  const isLastRead = nextReadAt === (notReadBefore(record) ?? '');
  return isLookedAt && isLastRead && repeats < environmentNumber('REPEATS_LIMIT') && bringsNothing(read);
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

function knownAfter({ decision }: OrderItem, { known }: ReadOrderInput): Known {
  return { ...known, ...(decision && { decision: decision.version }) };
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
  return { ...waitOutput(record, cursor, nextRead), known: { ...notYetLookedAt(cursor), unusable } };
}

/** Nothing was read: the order stands where the record has it, and is waited for. The next read looks everything up. */
function waitOutput(record: OrderItem, cursor: ReadOrderInput, wait: Wait): ReadOrderOutput {
  const { orderRef, generation, status, signing = 'external' } = record;
  const nothing = { round: 0, documents: [], choices: [], signing };
  return {
    ...{ orderRef, generation, repeats: cursor.repeats, status, known: notYetLookedAt(cursor) },
    ...{ ...handOver(cursor, 'wait', 0), ...wait, ...nothing },
  };
}

/**
 * Whether the round that the record knows of was accepted: asked of the ledger only where the status makes it matter, and this execution
 * has not accepted it itself.
 */
async function roundFacts({ record, order: { status } }: Read, { known }: ReadOrderInput) {
  const { orderRef, documentsRound, signaturesRound } = record;
  const accepted = async (kind: 'documents' | 'signatures', round: number | undefined) => {
    if (round === undefined) return false;
    const name = acceptName(kind, round);
    return known?.accepted === name || isDone(orderRef, name);
  };
  return {
    documentsAccepted: status === 'WAITING_FOR_DOCUMENTS' && (await accepted('documents', documentsRound)),
    signaturesAccepted: status === 'WAITING_FOR_SIGNATURE' && (await accepted('signatures', signaturesRound?.number)),
  };
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
