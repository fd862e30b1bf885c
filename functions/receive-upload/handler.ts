import { lambdaHandler } from '../../core/log.ts';
import {
  itemsToConfirm,
  noteUnread,
  refuseAfterEnd,
  stagedOffers,
  takeDecision,
} from '../../core/offers/decision-file.ts';
import { isFinal, type OrderItem } from '../../core/order/order-item.ts';
import { findOrder } from '../../core/order/order-record.ts';
import { addEvent } from '../../core/order/timeline.ts';
import { type ObjectCreatedEvent, objectCreated, orderOfObject } from '../../core/package/intake-event.ts';
import { intakePart, isOrderRef } from '../../core/package/intake-key.ts';
import { answerMisplaced, answerRemoved, answerUnknown, isFolderMarker } from '../../core/people/answer-rejected.ts';
import { logger } from '../../core/people/operator-log.ts';
import { stageJson } from '../../core/people/staging.ts';
import { noOrder } from '../../core/people/unknown-upload.ts';
import { type Callback, findCallbacks } from '../../core/people/waits.ts';
import { wake } from '../../core/people/wake.ts';
import { eachEvent } from '../../core/queue-batch.ts';
import { answerSignature, rejectSignature } from '../../core/signing/answer-signature.ts';
import { type JudgedSignature, judgeSignature, missingSignatures } from '../../core/signing/signatures.ts';

/** Handles a signature or a decision that was put into intake. Wakes the waiting execution when nothing is missing any more. */
async function receiveUpload(event: ObjectCreatedEvent): Promise<void> {
  const { object } = event.detail;
  const { key } = object;
  const part = intakePart(key);
  // A document below documents/signatures/ has its own function.
  if (isFolderMarker(object) || part?.part === 'document') return;
  if (!part || !isOrderRef(part.folder)) return answerMisplaced(object);
  const order = await findOrder(part.folder);
  if (!order && part.part !== 'decision') return answerUnknown(object, noOrder);
  if (!order) {
    logger.info('A decision arrived before its order');
    return;
  }
  if (order.removal) return answerRemoved(object);
  if (part.part === 'signature') await receiveSignature(order, part.fileId, key);
  else if (part.part === 'decision') await receiveDecision(order, object['version-id']);
  else if (part.part === 'misnamed-signature') await answerMisnamed(order, part.name);
}

async function receiveSignature(order: OrderItem, fileId: string, key: string): Promise<void> {
  const judged = await answer(order, fileId, key);
  if (judged && !judged.passed) await addEvent(order.orderRef, 'A signature was rejected', documentFact(order, fileId));
  const waiting = await findWaiting(order, 'signatures');
  if (!waiting) {
    logger.info('A signature arrived before the order waited for it');
    return;
  }
  const isOfRound = waiting.order.rounds?.signatures?.number === order.rounds?.signatures?.number;
  const missing = await missingSignatures(waiting.order, new Map(judged && isOfRound ? [[fileId, judged]] : []));
  const arrived = { ...documentFact(waiting.order, fileId), missing: missing.length };
  await addEvent(order.orderRef, 'A signature arrived', arrived);
  if (missing.length > 0) return;
  for (const callback of waiting.callbacks) await wake(callback, { round: callback.round });
}

/** The place of the document among those to sign. The timeline counts from 1. */
function documentFact({ rounds }: OrderItem, fileId: string): { document?: number } {
  const document = (rounds?.signatures?.fileIds.indexOf(fileId) ?? -1) + 1;
  return document > 0 ? { document } : {};
}

/** Checks the signature that is now in intake, and stages the verdict. Events may be late and out of order. */
async function answer(order: OrderItem, fileId: string, key: string): Promise<JudgedSignature | undefined> {
  const { signatures } = order.rounds ?? {};
  if (signatures && !signatures.fileIds.includes(fileId)) {
    await rejectSignature(order, fileId, 'The order has no such document to sign. Take the names from to-sign.json.');
    return undefined;
  }
  const judged = await judgeSignature(order, fileId, key);
  // The page about a signature that was deleted, or cannot be checked yet, is not true any more.
  await answerSignature(order, fileId, judged ?? { passed: true });
  return judged;
}

async function answerMisnamed({ orderRef }: OrderItem, name: string): Promise<void> {
  logger.warn('A signature has an invalid name');
  await stageJson(orderRef, `signatures-rejected/${encodeURIComponent(name)}.json`, {
    orderRef,
    name,
    problem: 'This is not the name of a signature. Name it signatures/<fileId>.sig, as to-sign.json says.',
  });
}

/** The order, and the callbacks of its current execution and round; undefined if there are none. */
async function findWaiting(
  read: OrderItem,
  what: Callback['what'],
): Promise<{ order: OrderItem; callbacks: Callback[] } | undefined> {
  const found = await findCallbacks(read.orderRef, what);
  if (found.length === 0) return undefined;
  // For signatures the order is read after the callbacks: a callback's round and its files are recorded before the callback.
  const isKnown = what === 'decision' && found.every((callback) => isCurrent(callback, read));
  const order = isKnown ? read : await findOrder(read.orderRef);
  const callbacks = found.filter((callback) => order && isCurrent(callback, order));
  return order && callbacks.length > 0 ? { order, callbacks } : undefined;
}

function isCurrent({ generation, round, what }: Callback, order: OrderItem): boolean {
  return order.generation === generation && (what === 'decision' || order.rounds?.signatures?.number === round);
}

/** Handles a decision. A version that came early, or was replaced before it was read, is a line of the timeline. */
async function receiveDecision(order: OrderItem, versionId: string | undefined): Promise<void> {
  const { status } = order;
  const isEarly = !isFinal(status) && status !== 'OFFERS_AVAILABLE' && status !== 'OFFERS_APPROVED';
  if (isEarly) logger.info('A decision arrived before the order waited for it', { status });
  else await takeCurrentDecision(order);
  if (versionId !== undefined) await noteUnread(order, versionId, isEarly);
}

/**
 * Handles the decision that is now in intake. While the order is OFFERS_AVAILABLE, the decision ends the wait. While it is OFFERS_APPROVED,
 * the next read finds the decision in the record. Before that, the decision stays in intake, where `choose-offer` looks for it.
 */
async function takeCurrentDecision(order: OrderItem): Promise<void> {
  const { orderRef, status } = order;
  if (isFinal(status)) return refuseAfterEnd(order);
  const offers = await stagedOffers(orderRef);
  const decision = offers && (await takeDecision(order, offers));
  if (!decision) return;
  const waiting = await findWaiting(order, 'decision');
  if (!waiting) return;
  const output = itemsToConfirm(waiting.order, decision, offers);
  for (const callback of waiting.callbacks) await wake(callback, output);
}

export const handler = lambdaHandler(eachEvent((event) => receiveUpload(objectCreated(event)), orderOfObject));
