import { lambdaHandler } from '../shared/lambda-handler.ts';
import { eventLog } from '../shared/log.ts';
import { choicesOutput, rejectDecision, stagedOffers, takeDecision } from '../shared/offers/decision-file.ts';
import { type Callback, findCallbacks } from '../shared/order/callback.ts';
import type { ObjectCreatedEvent } from '../shared/order/intake-event.ts';
import { intakePart } from '../shared/order/intake-key.ts';
import { logger } from '../shared/order/operator-log.ts';
import { isFinal, type OrderItem } from '../shared/order/order-item.ts';
import { findOrder } from '../shared/order/order-record.ts';
import { stageJson } from '../shared/order/staging.ts';
import { addEvent } from '../shared/order/timeline.ts';
import { wake } from '../shared/order/wake.ts';
import { answerSignature, rejectSignature, withdrawAnswer } from '../shared/signing/answer-signature.ts';
import { type JudgedSignature, judgeSignature, missingSignatures } from '../shared/signing/signatures.ts';

/** A signature or a decision arrived in intake: the execution that waits for it goes on once nothing is missing. */
async function receive(event: ObjectCreatedEvent): Promise<void> {
  const { key, 'version-id': versionId } = event.detail.object;
  const part = intakePart(key);
  // A document below documents/signatures/ has its own function.
  if (part?.part === 'document') return;
  const order = part && (await findOrder(part.folder));
  if (!order) {
    // Not its key: the name of a file may say anything about anybody. The version finds it.
    logger.warn("An object in intake is nobody's signature or decision: left alone", { versionId });
    return;
  }
  logger.appendKeys({ orderRef: order.orderRef });
  if (part.part === 'signature') await receiveSignature(order, part.fileId, key);
  else if (part.part === 'decision') await receiveDecision(order);
  else if (part.part === 'misnamed-signature') await answerMisnamed(order, part.name);
}

async function receiveSignature(order: OrderItem, fileId: string, key: string): Promise<void> {
  const judged = await answer(order, fileId, key);
  const waiting = await findWaiting(order, 'signatures');
  if (!waiting) {
    logger.info('A signature arrived before the order waits for it');
    return;
  }
  const isOfRound = waiting.order.signaturesRound?.number === order.signaturesRound?.number;
  const missing = await missingSignatures(waiting.order, new Map(judged && isOfRound ? [[fileId, judged]] : []));
  await addEvent(order.orderRef, 'A signature arrived', { missing: missing.length });
  if (missing.length > 0) return;
  for (const callback of waiting.callbacks) await wake(callback, { round: callback.round });
}

/** Says in staging what was made of the signature as it is in intake now: events come late and out of order. */
async function answer(order: OrderItem, fileId: string, key: string): Promise<JudgedSignature | undefined> {
  const { signaturesRound } = order;
  if (signaturesRound && !signaturesRound.fileIds.includes(fileId)) {
    const unknown = 'The order has no such document to sign. Take the names from to-sign.json.';
    await rejectSignature(order, fileId, unknown);
    return undefined;
  }
  const judged = await judgeSignature(order, fileId, key);
  if (judged) await answerSignature(order, fileId, judged);
  else await withdrawAnswer(order, fileId);
  return judged;
}

async function answerMisnamed({ orderRef }: OrderItem, name: string): Promise<void> {
  logger.warn('A signature has a name that can not be used');
  await stageJson(orderRef, `signatures-rejected/${encodeURIComponent(name)}.json`, {
    orderRef,
    name,
    problem: 'This is no name of a signature. Name it signatures/<fileId>.sig, as to-sign.json gives it.',
  });
}

/** The order with the callbacks of the execution and the round that it stands in, if there are any. */
async function findWaiting(
  known: OrderItem,
  what: Callback['what'],
): Promise<{ order: OrderItem; callbacks: Callback[] } | undefined> {
  const found = await findCallbacks(known.orderRef, what);
  if (found.length === 0) return undefined;
  // Signatures: read after the callbacks, since the round that they wait in, and its files, were recorded before them.
  const isKnown = what === 'decision' && found.every((callback) => isCurrent(callback, known));
  const order = isKnown ? known : await findOrder(known.orderRef);
  const callbacks = found.filter((callback) => order && isCurrent(callback, order));
  return order && callbacks.length > 0 ? { order, callbacks } : undefined;
}

/** Whether the order stands in the execution, and in the round, that waits. */
function isCurrent({ generation, round, what }: Callback, order: OrderItem): boolean {
  return order.generation === generation && (what === 'decision' || order.signaturesRound?.number === round);
}

/**
 * While the order is OFFERS_AVAILABLE the decision ends the wait; while it is OFFERS_APPROVED the next read finds it.
 * Before that it stays in intake, where `choose-offer` looks first.
 */
async function receiveDecision(order: OrderItem): Promise<void> {
  const { orderRef, status } = order;
  if (isFinal(status)) {
    const mend = 'Nothing more can be decided on it.';
    return rejectDecision(orderRef, [{ path: '$', problem: `The order is ${status}, which is final.`, mend }]);
  }
  if (status !== 'OFFERS_AVAILABLE' && status !== 'OFFERS_APPROVED') {
    logger.info('A decision arrived that the order does not wait for', { status });
    return;
  }
  const offers = await stagedOffers(orderRef);
  const decision = offers && (await takeDecision(order, offers));
  if (!decision) return;
  const waiting = await findWaiting(order, 'decision');
  if (!waiting) return;
  const output = choicesOutput(waiting.order, decision, offers);
  for (const callback of waiting.callbacks) await wake(callback, output);
}

export const handler = lambdaHandler(receive).use(eventLog());
