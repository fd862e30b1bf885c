import middy from '@middy/core';
import { findCallback, wake } from '../shared/callback.ts';
import { choicesOutput } from '../shared/choices-output.ts';
import { stagedOffers, takeDecision } from '../shared/decision.ts';
import type { ObjectCreatedEvent } from '../shared/intake-event.ts';
import { intakePart } from '../shared/intake-key.ts';
import { logger } from '../shared/operator-log.ts';
import { addEvent, findOrder, type OrderItem } from '../shared/order-record.ts';
import { missingSignatures } from '../shared/signatures.ts';
import { stageJson } from '../shared/staging.ts';

/** A signature or a decision arrived in intake: the execution that waits for it goes on once nothing is missing. */
async function receive(event: ObjectCreatedEvent): Promise<void> {
  const { key, size } = event.detail.object;
  const part = intakePart(key);
  const order = part && (await findOrder(part.folder));
  if (!order || (part.part !== 'signature' && part.part !== 'decision')) {
    logger.warn("An object in intake is nobody's signature or decision: left alone", { key });
    return;
  }
  logger.appendKeys({ orderRef: order.orderRef });
  if (part.part === 'signature') await receiveSignature(order, part.fileId, size);
  else await receiveDecision(order);
}

async function receiveSignature(order: OrderItem, fileId: string, size: number | undefined): Promise<void> {
  const { orderRef, signaturesRound } = order;
  if (size === 0) {
    await answer(orderRef, fileId, 'The signature is empty. Upload it again under the same name.');
  } else if (signaturesRound && !signaturesRound.fileIds.includes(fileId)) {
    await answer(orderRef, fileId, 'The order has no such document to sign. Take the names from to-sign.json.');
  }
  const callback = await findCallback(orderRef, 'signatures');
  if (!callback) {
    logger.info('A signature arrived before the order waits for it');
    return;
  }
  const missing = await missingSignatures(order);
  await addEvent(orderRef, 'A signature arrived', { missing: missing.length });
  if (missing.length === 0) await wake(callback, { round: callback.round });
}

async function answer(orderRef: string, fileId: string, problem: string): Promise<void> {
  logger.warn('A signature can not be used');
  await stageJson(orderRef, `signatures-rejected/${encodeURIComponent(fileId)}.json`, { orderRef, fileId, problem });
}

/**
 * While the order is OFFERS_AVAILABLE the decision ends the wait; while it is OFFERS_APPROVED the next read finds it.
 * Before that it stays in intake, where `choose-offer` looks first.
 */
async function receiveDecision(order: OrderItem): Promise<void> {
  const { orderRef, status } = order;
  if (status !== 'OFFERS_AVAILABLE' && status !== 'OFFERS_APPROVED') {
    logger.info('A decision arrived that the order does not wait for', { status });
    return;
  }
  const offers = await stagedOffers(orderRef);
  if (!offers || !(await takeDecision(orderRef, offers))) return;
  await addEvent(orderRef, 'A decision arrived');
  const callback = await findCallback(orderRef, 'decision');
  if (callback) await wake(callback, await choicesOutput(order));
}

export const handler = middy(receive).before(({ context }) => {
  logger.resetKeys();
  logger.appendKeys({ requestId: context.awsRequestId });
});
