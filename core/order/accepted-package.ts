import { readObject } from '../aws/storage.ts';
import { InvalidPackage } from '../errors.ts';
import { packageKey } from '../package/intake-key.ts';
import { stackSettings } from '../settings.ts';
import type { OrderItem } from './order-item.ts';

/**
 * Reads the version of `order.json` that intake accepted.
 * @throws InvalidPackage if that version was deleted.
 */
export async function readAcceptedPackage({ orderRef, packageVersionId }: OrderItem): Promise<string> {
  const file = { bucket: stackSettings.intakeBucket, key: packageKey(orderRef), versionId: packageVersionId };
  const stored = await readObject(file);
  if (stored) return new TextDecoder().decode(stored.bytes);
  throw new InvalidPackage(
    `Order ${orderRef}: the version of order.json that was accepted is gone from intake. Nothing was sent.`,
  );
}
