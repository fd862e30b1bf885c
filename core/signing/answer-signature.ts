import type { PassedVerdict } from '@business-loan-orders/detached-signatures/signature-gate';
import { listObjects } from '../aws/storage.ts';
import { logger } from '../log.ts';
import type { Coded } from '../messages/say.ts';
import type { OrderItem } from '../order/order-item.ts';
import { stackSettings } from '../settings.ts';
import { publishJson, stagingKey, unpublish } from '../staging/staging.ts';
import { type RefusedVerdict, told } from './gate.ts';

type Order = Pick<OrderItem, 'orderRef'>;
type Answer = Pick<PassedVerdict, 'passed' | 'unchecked'> | RefusedVerdict;

/** Whether it is checked again later, because it is not known whether its signer was revoked. */
export const isWaiting = (verdict: Answer): boolean => !verdict.passed && verdict.code === 'TRY_LATER';

const codeOf = ({ code, params }: Coded) => ({ code, params });
const page = (folder: string, fileId: string) => `${folder}/${encodeURIComponent(fileId)}.json`;

/**
 * Stages the verdict on a signature for the signer. A page in `signatures-rejected/` says why the signature cannot be used,
 * one in `signatures-unchecked/` what could not be checked, or not yet. Deletes a page that is no longer true.
 */
export async function answerSignature({ orderRef }: Order, fileId: string, verdict: Answer): Promise<void> {
  const [rejected, unchecked] = [page('signatures-rejected', fileId), page('signatures-unchecked', fileId)];
  const isRefused = !verdict.passed && !isWaiting(verdict);
  const note = verdict.passed ? verdict.unchecked : isRefused ? undefined : verdict;
  if (isRefused) await rejectSignature({ orderRef }, fileId, verdict);
  if (note) await publishJson(orderRef, unchecked, { orderRef, fileId, note: note.problem, ...codeOf(note) });
  // In a versioned bucket, deleting a missing object would leave a delete marker.
  const staged = await listObjects(stackSettings.stagingBucket, stagingKey(orderRef, 'signatures-'));
  const untrue = [...(isRefused ? [] : [rejected]), ...(note === undefined ? [unchecked] : [])];
  const left = untrue.filter((name) => staged.some(({ key }) => key === stagingKey(orderRef, name)));
  await Promise.all(left.map((name) => unpublish(orderRef, name)));
}

/** Stages why a signature cannot be used. `service` is the order service's answer, if the service refused it. */
export async function rejectSignature(
  { orderRef }: Order,
  fileId: string,
  refused: Omit<RefusedVerdict, 'passed'>,
  service?: string,
): Promise<void> {
  logger.warn('A signature cannot be used');
  await publishJson(orderRef, page('signatures-rejected', fileId), { orderRef, fileId, ...told(refused), service });
}
