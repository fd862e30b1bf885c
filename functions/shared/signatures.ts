import { environment } from './environment.ts';
import { signatureKey, signaturesPrefix } from './intake-key.ts';
import type { OrderItem } from './order-record.ts';
import { listObjects } from './storage.ts';

/** The files of the order's signatures round that no signature has come for yet; one with no bytes does not count. */
export async function missingSignatures(order: Pick<OrderItem, 'orderRef' | 'signaturesRound'>): Promise<string[]> {
  const arrived = await listObjects(environment('INTAKE_BUCKET'), signaturesPrefix(order.orderRef));
  const keys = new Set(arrived.filter(({ size }) => size > 0).map(({ key }) => key));
  const fileIds = order.signaturesRound?.fileIds ?? [];
  return fileIds.filter((fileId) => !keys.has(signatureKey(order.orderRef, fileId)));
}
