import type { Verdict } from '@business-loan-orders/detached-signatures/signature-gate';
import { listObjects } from '../aws/storage.ts';
import type { OrderItem } from '../order/order-item.ts';
import { logger } from '../people/operator-log.ts';
import { stageJson, stagingKey, unstage } from '../people/staging.ts';
import { stackSettings } from '../settings.ts';

type Order = Pick<OrderItem, 'orderRef'>;

const page = (folder: string, fileId: string) => `${folder}/${encodeURIComponent(fileId)}.json`;

/**
 * Stages the verdict on a signature for the signer. A page in `signatures-rejected/` says why the signature cannot be used,
 * one in `signatures-unchecked/` what could not be checked. Deletes a page that is no longer true.
 */
export async function answerSignature({ orderRef }: Order, fileId: string, verdict: Verdict): Promise<void> {
  if (verdict.passed && verdict.note === undefined) return unstagePages(orderRef, fileId);
  const note = verdict.passed ? verdict.note : undefined;
  await Promise.all([
    verdict.passed
      ? unstage(orderRef, page('signatures-rejected', fileId))
      : rejectSignature({ orderRef }, fileId, `${verdict.problem} Upload a valid one under the same name.`),
    note === undefined
      ? unstage(orderRef, page('signatures-unchecked', fileId))
      : stageJson(orderRef, page('signatures-unchecked', fileId), { orderRef, fileId, note }),
  ]);
}

/** Deletes the pages that exist. In a versioned bucket, deleting a missing object would leave a delete marker. */
async function unstagePages(orderRef: string, fileId: string): Promise<void> {
  const staged = await listObjects(stackSettings.stagingBucket, stagingKey(orderRef, 'signatures-'));
  const pages = ['signatures-rejected', 'signatures-unchecked'].map((folder) => page(folder, fileId));
  const left = pages.filter((name) => staged.some(({ key }) => key === stagingKey(orderRef, name)));
  await Promise.all(left.map((name) => unstage(orderRef, name)));
}

/** Deletes the pages of a signature that was deleted, or cannot be checked yet. */
export async function withdrawAnswer({ orderRef }: Order, fileId: string): Promise<void> {
  await answerSignature({ orderRef }, fileId, { passed: true });
}

/** Stages why a signature cannot be used. `service` is the order service's answer, if the service refused it. */
export async function rejectSignature(
  { orderRef }: Order,
  fileId: string,
  problem: string,
  service?: string,
): Promise<void> {
  logger.warn('A signature cannot be used');
  await stageJson(orderRef, page('signatures-rejected', fileId), { orderRef, fileId, problem, service });
}
