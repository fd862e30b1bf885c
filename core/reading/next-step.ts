import { UnexpectedResponse } from '../errors.ts';
import type { State } from '../ledger/knowledge.ts';
import type { AskCount, OrderItem, SignaturesRound } from '../order/order-item.ts';
import { MAX_DOCUMENTS_TO_SIGN } from '../order/work-size.ts';
import type { Offer, Order } from '../order-service/order-service-client.ts';

/** What to do after a read. The choice state `Order status` routes by this and by `status`. */
export type Todo = 'act' | 'wait' | 'confirm';

export interface NextStep {
  todo: Todo;
  /** The round, if the service asks for documents. */
  documentsRound?: number;
  documentsAsked?: AskCount;
  /** The round, if the service asks for signatures. */
  signaturesRound?: SignaturesRound;
  /** The round that the order has left, if it has come back to the status of that round. */
  documentsLeft?: number;
  /** The same for signatures. */
  signaturesLeft?: number;
  /** The status was already handled: the read is stale, or the service asks again. Such reads are counted. */
  isAnswered?: true;
  /** People were asked for this before. */
  isAsked?: true;
  /** The outcome of the round's accept was unknown. It is now believed that the accept was not done. */
  isNotAccepted?: true;
}

export interface KnownFacts {
  record: Pick<OrderItem, 'orderRef' | 'generation' | 'status'> & Partial<OrderItem>;
  /** What the ledger knows of the accept of the round that the order waits for. */
  accept: State;
  /** How many chosen offers to confirm now. */
  openChoices: number;
  /** Whether reads must settle a confirm first. */
  isUnsettled: boolean;
  /** Whether a person or a rule has decided on the offers. */
  isDecided: boolean;
  /** Whether a confirm is done. */
  isConfirmed: boolean;
  /** Whether to believe a read of a status that was already handled (`believed.ts`). */
  isBelieved: boolean;
}

/**
 * Decides what to do after a read (specification, section 3). A status that was already handled waits until it is believed.
 * Then an accept with an unknown outcome was not done, or the service asks again, which is a new round. A read of another
 * status ends a round. A request for signatures of other files is a new round at once.
 * @throws UnexpectedResponse if the status cannot be handled.
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
      // The choice state ends the execution as `Unknown status`.
      return { todo: 'act' };
  }
}

/** How many times in a row the service may ask for the same files. After that, a person must act. */
const MAX_SAME_ROUNDS = 3;

/** @throws UnexpectedResponse if the service has asked too often. */
function askedAgain(asked: AskCount | undefined, record: KnownFacts['record'], what: string): AskCount {
  const { orderRef, generation, retriedIn = 1 } = record;
  const before = asked && asked.generation >= retriedIn ? asked.times : 0;
  if (before < MAX_SAME_ROUNDS) return { times: before + 1, generation };
  throw new UnexpectedResponse(
    `Order ${orderRef} was asked ${before} times for ${what}, and sent all of them each time. Ask the order service what is wrong with them. A retry sends the versions that are then in intake.`,
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

/** Whether the service asks for signatures of other files than those of the round. */
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

/** @throws UnexpectedResponse if there are too many. */
function filesToSign(order: Order, record: KnownFacts['record']): string[] {
  const fileIds = (order.documents ?? []).map(({ fileId }) => fileId);
  if (fileIds.length > MAX_DOCUMENTS_TO_SIGN) {
    throw new UnexpectedResponse(
      `Order ${record.orderRef} lists ${fileIds.length} documents to sign. At most ${MAX_DOCUMENTS_TO_SIGN} can be signed in one round. Nothing was signed. Ask the order service for fewer at a time. A retry reads the order again.`,
    );
  }
  return fileIds;
}

/** If no offer is AVAILABLE, the order waits for the service (docs/assumptions.md). */
function offersStep(order: Order, known: KnownFacts): NextStep {
  const { record, openChoices, isUnsettled, isDecided, isConfirmed, isBelieved } = known;
  if (openChoices > 0) return { todo: 'confirm' };
  if (isUnsettled || (isConfirmed && !isBelieved)) return ANSWERED;
  if (isConfirmed) {
    throw new UnexpectedResponse(
      `Order ${record.orderRef} is still OFFERS_AVAILABLE after several reads, although a confirm was done. Ask the order service why. choices.json in staging says which offers were confirmed.`,
    );
  }
  const available = (order.offers ?? []).some((offer: Offer | null) => offer?.status === 'AVAILABLE');
  return { todo: available && !isDecided ? 'act' : 'wait' };
}
