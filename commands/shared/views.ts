import type { SignerOfVerdict } from '@business-loan-orders/detached-signatures/signature-gate';
import { signerText } from '@business-loan-orders/detached-signatures/signer-name';
import type { Knowledge } from '../../core/ledger/knowledge.ts';
import { isCorrectable } from '../../core/order/creation-word.ts';
import { type Decision, decisionView, stateOf } from '../../core/order/decision-states.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { readDelayOf } from '../../core/order/read-delay.ts';
import { isToMove } from '../../core/recovery/move.ts';
import { fileOf, namedFact, withNames } from './document-names.ts';
import type { Execution } from './executions.ts';
import { type Advice, adviceOn } from './failure-advice.ts';
import {
  creationOf,
  isCreatedAs,
  isCreationUnknown,
  nextReadOf,
  nextTryOf,
  OPERATION_PREFIX,
  type OperationEntry,
  type OrderDetails,
  situationOf,
  waitingSince,
} from './order-details.ts';
import { callWords } from './service-words.ts';
import { lineFacts, type TimelineEntry } from './timeline.ts';

// The views of an order for people. `show` prints them. `show --json` and the console's page get them unchanged. A member that is added to
// an operation of the ledger is in its view, too.

export type OrderView = ReturnType<typeof orderView>;

export function orderView(details: OrderDetails, executions: Execution[]) {
  const { order, decision, operations, timeline, decisionWait } = details;
  const { orderRef, status, waitingFor, orderId, generation, execution, createdAt, changedAt, release } = order;
  const { dismissed, legalHold, removal, choose, documents } = order;
  const creation = creationOf(details);
  return {
    orderRef,
    status,
    waitingFor,
    situation: situationOf(details, executions),
    labels: order.labels ?? {},
    due: order.due,
    waitingSince: waitingSince(order),
    orderId,
    /** Whether an operator may record whether the service created the order. */
    canResolve: creation !== undefined && (isCorrectable(creation, order) || creation.knowledge.state === 'open'),
    documents: documents.length,
    package: documents,
    createdAt,
    changedAt,
    generation,
    execution,
    executions,
    nextReadAt: nextReadOf(order),
    nextReadBy: readDelayOf(order)?.whose,
    nextTryAt: nextTryOf(order)?.at,
    release,
    movesTo: isToMove(order) ? order.moveTo?.release : undefined,
    failure: failureView(details),
    advice: adviceLines(details, executions),
    ...(order.unsigned && { unsigned: true }),
    dismissed,
    legalHold,
    removal,
    choose,
    decisionReason: reasonFor(order, decision),
    ...(waitingFor === 'decision' &&
      decisionWait && { offersReadAt: decisionWait.since, offersReadNextAt: decisionWait.until }),
    /** The number of decisions so far. */
    decisions: order.decision.version,
    ...(decision && decisionView(decision, status)),
    ...signingView(details),
    operations: operations.map((operation) => operationView(details, operation)),
    timeline: timeline.map(({ orderRef: _orderRef, item: _item, read: _read, ...entry }) => entry),
  };
}

/** Why the rule could not choose. Dropped once a human has chosen. */
function reasonFor({ waitingFor, failure, decisionReason }: OrderItem, decision?: Decision): string | undefined {
  const isChosen = decision?.none || decision?.choices.some((choice) => stateOf(choice) === 'chosen');
  return !isChosen && (waitingFor === 'decision' || failure?.error === 'DecisionOverdue') ? decisionReason : undefined;
}

/** Why an order stopped. The cause includes names of documents, and the order's name where the state machine's cause lacks it. */
function failureView(details: OrderDetails): OrderItem['failure'] {
  const { failure, orderRef } = details.order;
  return failure && { ...failure, cause: withNames(details, failure.cause).replaceAll('<orderRef>', orderRef) };
}

/** What to do about an order that stopped. */
export function adviceLines(
  details: OrderDetails,
  executions: Execution[],
  language: 'en' | 'ru' = 'en',
): Advice | undefined {
  const { order } = details;
  const situation = situationOf(details, executions);
  if (situation === 'running' || (situation === 'dismissed' && order.removal)) return undefined;
  if (situation === 'over' && order.status !== 'VALIDATION_FAILED') return undefined;
  const creation = creationOf(details);
  const isRead = creation && isCreatedAs(creation.knowledge, order.orderId);
  const byHand = isRead && isCorrectable(creation, order) ? 'by hand' : undefined;
  return adviceOn({ ...order, creation: isCreationUnknown(details) ? 'unknown' : byHand }, language);
}

export type OperationView = ReturnType<typeof operationView>;

/** A call that changes something at the service. `file` is the document that it is about. */
export function operationView(
  details: Pick<OrderDetails, 'order' | 'toSign'>,
  {
    orderRef: _orderRef,
    item,
    knowledge,
    attemptId: _attemptId,
    intent: _intent,
    resolvedAt: _resolvedAt,
    ...entry
  }: OperationEntry,
) {
  const name = item.slice(OPERATION_PREFIX.length);
  const { operation: _operation, attempt: _attempt, ...call } = entry.call;
  const facts = [...callWords(call), ...signatureWords(knowledge)];
  return { name, file: fileOf(details, name), state: knowledge.state, ...entry, facts };
}

/** The table stores times as text. */
const stampText = ({ timeStamp }: SignerOfVerdict) =>
  timeStamp ? ` (time stamp ${timeStamp.at}${timeStamp.isTrusted ? '' : ', of an authority that is not named'})` : '';

export const signerWords = (signer: SignerOfVerdict) => `signed by ${signerText(signer)}${stampText(signer)}`;

/** The signer of a sent signature, whether it could be checked, and whether the service gave it no identifier. */
function signatureWords(knowledge: Knowledge): string[] {
  if (knowledge.state !== 'done') return [];
  const { signers = [], unchecked }: { signers?: SignerOfVerdict[]; unchecked?: string } = knowledge.outcome;
  return [
    ...signers.map(signerWords),
    ...(unchecked ? [`NOT CHECKED: ${unchecked}`] : []),
    ...(knowledge.outcome.isUnnamed ? ['answered without a signatureId'] : []),
  ];
}

export type TimelineView = ReturnType<typeof timelineView>;

/** A line of the timeline for people. Each fact is a name and its value: `round 1`. */
export function timelineView(details: Pick<OrderDetails, 'order' | 'toSign'>, entry: TimelineEntry) {
  const { item, at, what } = entry;
  return { item, at, what, facts: lineFacts(entry).map((fact) => namedFact(details, what, fact)) };
}

/** Who signs, the round of signing (0 before the first one), and the documents to sign of all rounds. */
export function signingView(details: OrderDetails) {
  const { signing, rounds } = details.order;
  const signed = signedFiles(details);
  const toSign = details.toSign.map(({ fileId, name, round, size, contentType, sha256, changedAt }) => ({
    fileId,
    name,
    round,
    size,
    contentType,
    sha256,
    /** The service now has another version, which is not staged yet. */
    isChanged: changedAt !== undefined,
    /** Whether a signature of it has arrived while the order waits. */
    hasSignature: signed.has(fileId),
  }));
  return { signing, signaturesRound: rounds?.signatures?.number ?? 0, toSign };
}

/** The documents of the present round with a signature that arrived since the wait began and was not rejected. */
function signedFiles({ order, timeline }: OrderDetails): Set<string | undefined> {
  const { number, fileIds = [] } = order.rounds?.signatures ?? {};
  const begun = timeline.findLastIndex(({ what, round }) => what === 'Waits for signatures' && round === number);
  const signed = new Set<string | undefined>();
  for (const { what, document, missing } of begun < 0 ? [] : timeline.slice(begun + 1)) {
    const fileId = fileIds[Number(document) - 1];
    // The last line may be about several signatures that arrived together.
    if (what === 'A signature arrived') for (const arrived of missing === 0 ? fileIds : [fileId]) signed.add(arrived);
    if (what === 'A signature was rejected') signed.delete(fileId);
  }
  return signed;
}
