import { headObject, type ObjectVersion, readObjectUpTo } from '../../core/aws/storage.ts';
import { ofFile } from '../../core/json/json-problems.ts';
import { logger } from '../../core/log.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { packageKey } from '../../core/package/intake-key.ts';
import { ORDER_JSON_BYTES } from '../../core/package/whole-package.ts';
import { stackSettings } from '../../core/settings.ts';
import { answerUpload, findAnswer } from '../../core/staging/answer-rejected.ts';

export type StartedOrder = Pick<OrderItem, 'orderRef' | 'status' | 'packageVersionId'>;

export function packageObject(folder: string): ObjectVersion {
  return { bucket: stackSettings.intakeBucket, key: packageKey(folder) };
}

/** Rejects the current `order.json`, of the version `uploaded` if S3 does not say it, if another one started the order. It may have come since. */
export async function rejectAnother(order: StartedOrder, uploaded = ''): Promise<void> {
  const { orderRef, status, packageVersionId } = order;
  const { key, ...object } = packageObject(orderRef);
  const found = await headObject({ key, ...object });
  const versionId = found && (found.versionId || uploaded);
  if (!versionId || versionId === packageVersionId) return;
  if (await haveSameBytes({ key, ...object, versionId }, { key, ...object, versionId: packageVersionId })) return;
  logger.warn('A package was rejected, because its order was started from an earlier order.json');
  const problems = [ofFile('startedBefore', { status })];
  const answer = { kind: 'package' as const, key, versionId, afterStart: true as const, problems };
  while (!(await answerUpload(answer, await findAnswer(answer)))) logger.info('It was answered meanwhile');
}

async function haveSameBytes(...versions: ObjectVersion[]): Promise<boolean> {
  const read = (version: ObjectVersion) => readObjectUpTo(ORDER_JSON_BYTES, version);
  const [one, other] = (await Promise.all(versions.map(read))).map((found) => found?.bytes);
  return one !== undefined && other !== undefined && Buffer.from(one).equals(other);
}
