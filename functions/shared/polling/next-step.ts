import { UnexpectedResponse } from '../errors.ts';
import type { State } from '../ledger/knowledge.ts';
import type { Asked, OrderItem, SignaturesRound } from '../order/order-item.ts';
import type { Offer, Order } from '../order/order-service-client.ts';
import { MAX_DOCUMENTS_TO_SIGN } from '../order/work-size.ts';

/** What the state machine does with the status just read; the choice state `Order status` routes by it and by `status`. */
export type Todo = 'act' | 'wait' | 'confirm';

export interface NextStep {
  todo: Todo;
  /** Set when the service asks for documents or signatures: which time. */
  documentsRound?: number;
  documentsAsked?: Asked;
  signaturesRound?: SignaturesRound;
  /** Set when the order comes back to a status: the round that it had left. */
  documentsLeft?: number;
  signaturesLeft?: number;
  /** The status was answered already: a stale read, or one that the service comes back to. The reads that say so are counted. */
  isAnswered?: true;
  /** People were asked for this before. */
  isAsked?: true;
  /** The round's accept, whose outcome was unknown, was not done: it is believed that nothing has changed. */
  isNotAccepted?: true;
}

export interface KnownFacts {
  record: Pick<
    OrderItem,
    | 'orderRef'
    | 'generation'
    | 'retriedIn'
    | 'status'
    | 'documentsRound'
    | 'documentsAsked'
    | 'documentsLeft'
    | 'signaturesRound'
    | 'signaturesLeft'
  >;
  /** What is known of the accept of the record's round of documents, or of signatures, where the order waits for these. */
  accept: State;
  /** Chosen offers to confirm. */
  openChoices: number;
  /** Whether the outcome of a confirm is unknown: it is read again until that is known or believed not done. */
  isUnsettled: boolean;
  /** Whether somebody or some rule has decided on the offers. */
  decided: boolean;
  /** Whether a confirm was done. */
  confirmed: boolean;
  /** Whether a status that was answered already is believed (`believed.ts`). */
  isBelieved: boolean;
}

/**
 * The step after a read (specification, section 3). A status that was answered already waits until it is believed: then it is a new
 * round, or an accept whose outcome was unknown was not done. A read with another status ends a round, whatever is known of its accept.
 * Other files to sign are a new round at once.
 * @throws UnexpectedResponse for a status that can't be served.
 */
export function nextStep(order: Order, known: KnownFacts): NextStep {
  switch (order.status) {
    case 'CLOSED':
    case 'VALIDATION_FAILED':
      return { todo: 'act' };
    case 'IN_WORK':
      return { todo: 'wait' };
    case 'WAITING_FOR_DOCUMENTS':
      return documentsStep(known);
    case 'WAITING_FOR_SIGNATURE':
      return signaturesStep(order, known);
    case 'OFFERS_AVAILABLE':
      return offersStep(order, known);
    case 'OFFERS_APPROVED':
      if (known.openChoices > 0) return { todo: 'confirm' };
      return known.isUnsettled ? ANSWERED : { todo: 'wait' };
    default:
      // The choice state knows no way on from it, and says so.
      return { todo: 'act' };
  }
}

/** How often an order may be asked for the same files in a row: more of the same helps nobody, until a person retries. */
const SAME_ROUNDS = 3;

/** @throws UnexpectedResponse when it is once too often. */
function askedAgain(asked: Asked | undefined, record: KnownFacts['record'], what: string): Asked {
  const { orderRef, generation, retriedIn = 1 } = record;
  const before = asked && asked.generation >= retriedIn ? asked.times : 0;
  if (before < SAME_ROUNDS) return { times: before + 1, generation };
  throw new UnexpectedResponse(
    `Order ${orderRef} was asked ${before} times for ${what}, and sent all of them each time. Ask the order service what is wrong with them; a retry sends them again, as they are in intake then.`,
  );
}

const ANSWERED: NextStep = { todo: 'wait', isAnswered: true };

function documentsStep({ record, accept, isBelieved }: KnownFacts): NextStep {
  const round = record.documentsRound ?? 0;
  if (round > 0) {
    const isBack = record.status !== 'WAITING_FOR_DOCUMENTS';
    const isLeft = isBack || record.documentsLeft === round;
    if (!isLeft && isNotDone(accept)) return { todo: 'act', documentsRound: round };
    if (!isBelieved) return { ...ANSWERED, ...(isBack && { documentsLeft: round }) };
    if (!isLeft && accept === 'open') return { todo: 'act', documentsRound: round, isNotAccepted: true };
  }
  const documentsAsked = askedAgain(record.documentsAsked, record, 'its documents');
  return { todo: 'act', documentsRound: round + 1, documentsAsked };
}

function isNotDone(accept: State): boolean {
  return accept === 'none' || accept === 'unlikely';
}

/** Whether signatures are asked for of other files than those of the round. */
export function asksForOthers(fileIds: readonly string[], round: SignaturesRound): boolean {
  return fileIds.length !== round.fileIds.length || fileIds.some((fileId) => !round.fileIds.includes(fileId));
}

function signaturesStep(order: Order, { record, accept, isBelieved }: KnownFacts): NextStep {
  const fileIds = filesToSign(order, record);
  const round = record.signaturesRound;
  const first = { times: 1, generation: record.generation };
  if (!round) return { todo: 'act', signaturesRound: { number: 1, fileIds, asked: first } };
  const { number } = round;
  const isBack = record.status !== 'WAITING_FOR_SIGNATURE';
  const isLeft = isBack || record.signaturesLeft === number;
  const isSame = !asksForOthers(fileIds, round);
  const same = { ...(isSame && round), number, fileIds };
  if (!isLeft && isNotDone(accept)) return { todo: 'act', signaturesRound: same };
  if (!isSame) return { todo: 'act', signaturesRound: { number: number + 1, fileIds, asked: first } };
  if (!isBelieved) return { ...ANSWERED, ...(isBack && { signaturesLeft: number }) };
  if (!isLeft && accept === 'open') return { todo: 'act', signaturesRound: same, isNotAccepted: true };
  const asked = askedAgain(round.asked, record, 'the same signatures');
  return { todo: 'act', signaturesRound: { number: number + 1, fileIds, asked } };
}

/** @throws UnexpectedResponse when there are too many. */
function filesToSign(order: Order, record: KnownFacts['record']): string[] {
  const fileIds = (order.documents ?? []).map(({ fileId }) => fileId);
  if (fileIds.length > MAX_DOCUMENTS_TO_SIGN) {
    throw new UnexpectedResponse(
      `Order ${record.orderRef} lists ${fileIds.length} documents to sign; at most ${MAX_DOCUMENTS_TO_SIGN} can be signed in one round. Nothing was signed. Ask the order service for fewer at a time; a retry reads the order again.`,
    );
  }
  return fileIds;
}

/** With no AVAILABLE offer there is nothing to choose: the service moves next (docs/assumptions.md). */
function offersStep(order: Order, known: KnownFacts): NextStep {
  const { record, openChoices, isUnsettled, decided, confirmed, isBelieved } = known;
  if (openChoices > 0) return { todo: 'confirm' };
  if (isUnsettled || (confirmed && !isBelieved)) return ANSWERED;
  if (confirmed) {
    throw new UnexpectedResponse(
      `Order ${record.orderRef} is still OFFERS_AVAILABLE, read after read, though a confirm was answered as done. Ask the order service what became of it; choices.json in staging says which offers were confirmed.`,
    );
  }
  const available = (order.offers ?? []).some((offer: Offer | null) => offer?.status === 'AVAILABLE');
  return { todo: available && !decided ? 'act' : 'wait' };
}
