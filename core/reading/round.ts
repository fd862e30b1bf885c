import { UnexpectedResponse } from '../errors.ts';
import type { State } from '../ledger/knowledge.ts';
import { attemptNumber, type OrderItem, type Round, type RoundKind } from '../order/order-item.ts';

/** What the service asks for in a status: documents of the package, or signatures of the files that it lists. */
export function roundKindIn(status: string): RoundKind | undefined {
  if (status === 'WAITING_FOR_DOCUMENTS') return 'documents';
  return status === 'WAITING_FOR_SIGNATURE' ? 'signatures' : undefined;
}

export interface RoundStep {
  todo: 'act' | 'wait';
  /** The round to record. Absent if the recorded one does not change. */
  round?: Round;
  /** The status was already handled: the read is stale, or the service asks again. Such reads are counted. */
  isAnswered?: true;
  /** The outcome of the round's accept was unknown. It is believed that the accept was not done. */
  isNotAccepted?: true;
}

export interface RoundFacts {
  kind: RoundKind;
  /** The files that the service asks for. Empty for documents, which the package lists. */
  fileIds: string[];
  record: Pick<OrderItem, 'orderRef' | 'generation' | 'redrives' | 'retriedIn' | 'status' | 'rounds'>;
  /** The ledger's knowledge of the round's accept. */
  accept: State;
  isBelieved: boolean;
}

/**
 * The next step of a round, the same for documents and signatures (specification, section 3). A round that was not accepted is
 * worked on. Other files are a new round at once. A status that was already handled waits until it is believed. Then an accept with
 * an unknown outcome was not done, or the service asks again, which is a new round.
 * @throws UnexpectedResponse if the service has asked for the same files too often.
 */
export function roundStep({ kind, fileIds, record, accept, isBelieved }: RoundFacts): RoundStep {
  const round = record.rounds?.[kind];
  const first = { times: 1, generation: attemptNumber(record) };
  if (!round) return { todo: 'act', round: { number: 1, fileIds, asked: first } };
  const isBack = roundKindIn(record.status) !== kind;
  const isLeft = isBack || round.left === true;
  const others = asksForOthers(fileIds, round);
  const { number } = round;
  // A read that shows the files of an earlier round may be stale. Its accept would be taken for the round that the service is in.
  const isEarlier = others && fileIds.every((fileId) => round.earlier?.includes(fileId));
  if (!isLeft && accept === 'none' && (!isEarlier || isBelieved))
    return {
      todo: 'act',
      round: others ? { ...earlierOf(round), number, fileIds, asked: first } : { ...round, fileIds },
    };
  const earlier = [...(round.earlier ?? []), ...round.fileIds];
  if (others && (!isEarlier || isBelieved))
    return { todo: 'act', round: { number: number + 1, fileIds, asked: first, earlier } };
  if (!isBelieved) return { todo: 'wait', isAnswered: true, ...(isBack && { round: { ...round, left: true } }) };
  if (!isLeft && accept === 'open') return { todo: 'act', round: { ...round, fileIds }, isNotAccepted: true };
  const asked = askedAgain(round, kind, record);
  return { todo: 'act', round: { ...earlierOf(round), number: number + 1, fileIds, asked } };
}

const earlierOf = ({ earlier }: Round) => (earlier ? { earlier } : {});

/** Whether the service asks for signatures of other files than those of the round. */
export function asksForOthers(fileIds: readonly string[], round: Round): boolean {
  return fileIds.length !== round.fileIds.length || fileIds.some((fileId) => !round.fileIds.includes(fileId));
}

/** How many times in a row the service may ask for the same files. After that, a person must act. */
const MAX_SAME_ROUNDS = 3;
const FILES = { documents: 'its documents', signatures: 'the same signatures' };

/** @throws UnexpectedResponse if the service has asked too often. */
function askedAgain({ asked }: Round, kind: RoundKind, record: RoundFacts['record']): Round['asked'] {
  const { orderRef, retriedIn = 1 } = record;
  const before = asked.generation >= retriedIn ? asked.times : 0;
  if (before < MAX_SAME_ROUNDS) return { times: before + 1, generation: attemptNumber(record) };
  throw new UnexpectedResponse(
    `Order ${orderRef} was asked ${before} times for ${FILES[kind]}, and sent all of them each time. Ask the order service what is wrong with them. A retry sends the versions that are then in intake.`,
  );
}
