import { listObjects } from '../aws/storage.ts';
import type { Verdict } from '../cms/signature-gate.ts';
import { environment } from '../environment.ts';
import { logger } from '../order/operator-log.ts';
import type { OrderItem } from '../order/order-item.ts';
import { stageJson, stagingKey, unstage } from '../order/staging.ts';

type Order = Pick<OrderItem, 'orderRef'>;

const page = (folder: string, fileId: string) => `${folder}/${encodeURIComponent(fileId)}.json`;

/**
 * Tells the signer what was made of a signature: `signatures-rejected/` says why it can't be used, `signatures-unchecked/` what of
 * it could not be checked. Either page goes when a better signature comes.
 */
export async function answerSignature({ orderRef }: Order, fileId: string, verdict: Verdict): Promise<void> {
  if (verdict.passed && verdict.note === undefined) return unstagePages(orderRef, fileId);
  const note = verdict.passed ? verdict.note : undefined;
  await Promise.all([
    verdict.passed
      ? unstage(orderRef, page('signatures-rejected', fileId))
      : rejectSignature({ orderRef }, fileId, `${verdict.problem} Upload a good one under the same name.`),
    note === undefined
      ? unstage(orderRef, page('signatures-unchecked', fileId))
      : stageJson(orderRef, page('signatures-unchecked', fileId), { orderRef, fileId, note }),
  ]);
}

/** Both pages go, where they are there: in a bucket with versions, deleting what is not there leaves a mark for each signature. */
async function unstagePages(orderRef: string, fileId: string): Promise<void> {
  const staged = await listObjects(environment('STAGING_BUCKET'), stagingKey(orderRef, 'signatures-'));
  const pages = ['signatures-rejected', 'signatures-unchecked'].map((folder) => page(folder, fileId));
  const left = pages.filter((name) => staged.some(({ key }) => key === stagingKey(orderRef, name)));
  await Promise.all(left.map((name) => unstage(orderRef, name)));
}

/** The signature was taken away, or can't be judged yet. */
export async function withdrawAnswer({ orderRef }: Order, fileId: string): Promise<void> {
  await answerSignature({ orderRef }, fileId, { passed: true });
}

/** Says why a signature can't be used; `service` is what the order service said of it, where that is why. */
export async function rejectSignature(
  { orderRef }: Order,
  fileId: string,
  problem: string,
  service?: string,
): Promise<void> {
  logger.warn('A signature can not be used');
  await stageJson(orderRef, page('signatures-rejected', fileId), { orderRef, fileId, problem, service });
}
