import { environment } from './environment.ts';
import { signatureKey, signaturesPrefix } from './intake-key.ts';
import type { OperationEntry } from './ledger.ts';
import { uploadSignatureName } from './operations.ts';
import type { OrderItem, SignaturesRound } from './order-record.ts';
import { headObject, listObjects } from './storage.ts';
import { queryItems } from './table.ts';
import { findToSign } from './to-sign.ts';

type Signing = Pick<OrderItem, 'orderRef' | 'signaturesRound'>;

/**
 * The files of the order's signatures round that no signature has come for yet. One with no bytes does not count, nor does
 * one that an earlier round used for a document of the same `fileId` and other content.
 */
export async function missingSignatures({ orderRef, signaturesRound }: Signing): Promise<string[]> {
  if (!signaturesRound) return [];
  const bucket = environment('INTAKE_BUCKET');
  const arrived = await listObjects(bucket, signaturesPrefix(orderRef));
  const keys = new Set(arrived.filter(({ size }) => size > 0).map(({ key }) => key));
  const missing = signaturesRound.fileIds.filter((fileId) => !keys.has(signatureKey(orderRef, fileId)));
  if (signaturesRound.number === 1) return missing;
  return [...missing, ...(await outdated(orderRef, signaturesRound, missing))];
}

async function outdated(orderRef: string, round: SignaturesRound, missing: string[]): Promise<string[]> {
  const entries = await queryItems<OperationEntry>(orderRef, 'operation#upload-signature#');
  const used = new Set(entries.map(({ item }) => item));
  const found = await Promise.all(
    round.fileIds
      .filter((fileId) => !missing.includes(fileId))
      .map(async (fileId) => ((await isOutdated(orderRef, round.number, fileId, used)) ? [fileId] : [])),
  );
  return found.flat();
}

async function isOutdated(orderRef: string, round: number, fileId: string, used: Set<string>): Promise<boolean> {
  const facts = await headObject({ bucket: environment('INTAKE_BUCKET'), key: signatureKey(orderRef, fileId) });
  const current = await findToSign(orderRef, round, fileId);
  for (let earlier = round - 1; earlier > 0; earlier -= 1) {
    if (!used.has(`operation#${uploadSignatureName(earlier, fileId, facts?.versionId ?? '')}`)) continue;
    return (await findToSign(orderRef, earlier, fileId))?.sha256 !== current?.sha256;
  }
  return false;
}
