import { lambdaHandler, logger } from '../../core/log.ts';
import { inWords } from '../../core/messages/english.ts';
import { openPositions } from '../../core/offers/decision.ts';
import { noteUnread, refuseAfterEnd, stagedOffers, takeDecision } from '../../core/offers/decision-file.ts';
import { isFinal, type OrderItem } from '../../core/order/order-item.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import { listToSign } from '../../core/order/to-sign.ts';
import { findWaitingOrder, type WaitingOrder } from '../../core/order/waits.ts';
import { wake } from '../../core/order/wake.ts';
import { type CreatedObject, objectCreated, orderOfObject } from '../../core/package/intake-event.ts';
import { intakePart, isOfSystem, isOrderRef } from '../../core/package/intake-key.ts';
import { eachEvent } from '../../core/queue-batch.ts';
import { confirmItems } from '../../core/reading/cursor.ts';
import { answerSignature, isWaiting, rejectSignature } from '../../core/signing/answer-signature.ts';
import { type JudgedSignature, judgeSignature, missingSignatures } from '../../core/signing/signatures.ts';
import { answerMisplaced, answerRemoved, answerUnknown, isFolderMarker } from '../../core/staging/answer-rejected.ts';
import { publishJson } from '../../core/staging/staging.ts';

/** Handles a signature or a decision that was put into intake. Wakes the waiting execution when nothing is missing. */
async function receiveUpload(object: CreatedObject): Promise<void> {
  const { key } = object;
  const part = intakePart(key);
  // A document below documents/signatures/ is handled by `check-package`.
  if (isFolderMarker(object) || part?.part === 'document') return;
  if (!part || !isOrderRef(part.folder)) return answerMisplaced(object);
  const order = await findWaitingOrder(part.folder);
  if (!order && part.part !== 'decision') return answerUnknown(object, inWords('noOrder'));
  if (!order) {
    logger.info('A decision arrived before its order');
    return;
  }
  const isAsked = part.part === 'signature' && order.rounds?.signatures?.fileIds.includes(part.fileId);
  if (isOfSystem(key) && !isAsked) return answerMisplaced(object);
  if (order.removal) return answerRemoved(object);
  if (part.part === 'signature') await receiveSignature(order, part.fileId, key);
  else if (part.part === 'decision') await receiveDecision(order, object['version-id']);
  else if (part.part === 'misnamed-signature') await answerMisnamed(order, part.name);
}

async function receiveSignature(order: WaitingOrder, fileId: string, key: string): Promise<void> {
  const judged = await answer(order, fileId, key);
  if (judged && !judged.passed) {
    const what = isWaiting(judged) ? 'A signature is checked again later' : 'A signature was rejected';
    return addToTimeline(order.orderRef, what, documentFact(order, fileId));
  }
  const waiting = order.callbacks.filter(({ what }) => what === 'signatures');
  if (waiting.length === 0) return logger.info('A signature arrived before the order waited for it');
  const missing = await missingSignatures({ ...order, staged: await listToSign(order.orderRef) });
  await addToTimeline(order.orderRef, 'A signature arrived', {
    ...documentFact(order, fileId),
    missing: missing.length,
  });
  if (missing.length > 0) return;
  for (const callback of waiting) await wake(callback, { round: callback.round });
}

/** The place of the document among those to sign. The timeline counts from 1. */
function documentFact({ rounds }: OrderItem, fileId: string): { document?: number } {
  const document = (rounds?.signatures?.fileIds.indexOf(fileId) ?? -1) + 1;
  return document > 0 ? { document } : {};
}

/** Checks the signature that is now in intake, and stages the verdict. Events may be late and out of order. */
async function answer(order: WaitingOrder, fileId: string, key: string): Promise<JudgedSignature | undefined> {
  const { signatures } = order.rounds ?? {};
  if (signatures && !signatures.fileIds.includes(fileId)) {
    await rejectSignature(order, fileId, inWords('notToSign'));
    return undefined;
  }
  const judged = await judgeSignature(order, fileId, key);
  // The page about a signature that was deleted, or cannot be checked yet, is no longer true.
  await answerSignature(order, fileId, judged ?? { passed: true });
  return judged;
}

async function answerMisnamed({ orderRef }: OrderItem, name: string): Promise<void> {
  logger.warn('A signature has an invalid name');
  const { problem, fix, code } = inWords('notASignature');
  const page = `signatures-rejected/${encodeURIComponent(name)}.json`;
  await publishJson(orderRef, page, { orderRef, name, problem: `${problem} ${fix}`, code });
}

/** Handles a decision. A version that came early, or was replaced before it was read, is a line of the timeline. */
async function receiveDecision(order: WaitingOrder, versionId: string | undefined): Promise<void> {
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
async function takeCurrentDecision(order: WaitingOrder): Promise<void> {
  const { orderRef, status } = order;
  if (isFinal(status)) return refuseAfterEnd(order);
  const offers = await stagedOffers(orderRef);
  const decision = offers && (await takeDecision(order, offers));
  if (!decision) return;
  const output = confirmItems(order, openPositions(decision, offers));
  for (const callback of order.callbacks) if (callback.what === 'decision') await wake(callback, output);
}

export const handler = lambdaHandler(eachEvent((event) => receiveUpload(objectCreated(event)), orderOfObject));
