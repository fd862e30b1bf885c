import { environment } from './environment.ts';
import { intakePart, signatureKey, signaturesPrefix } from './intake-key.ts';
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
  const arrived = await arrivedSignatures(orderRef);
  const missing = signaturesRound.fileIds.filter((fileId) => !arrived.has(fileId));
  if (signaturesRound.number === 1) return missing;
  return [...missing, ...(await outdated(orderRef, signaturesRound, arrived))];
}

/**
 * Keys of the signatures in intake that are not empty, by `fileId`. There is more than one way to percent-encode a name: they
 * are told apart by what they decode to, and the one that `to-sign.json` gave goes first.
 */
export async function arrivedSignatures(orderRef: string): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  for (const { key, size } of await listObjects(environment('INTAKE_BUCKET'), signaturesPrefix(orderRef))) {
    const part = intakePart(key);
    if (part?.part !== 'signature' || size === 0) continue;
    if (!keys.has(part.fileId) || key === signatureKey(orderRef, part.fileId)) keys.set(part.fileId, key);
  }
  return keys;
}

async function outdated(orderRef: string, round: SignaturesRound, arrived: Map<string, string>): Promise<string[]> {
  const entries = await queryItems<OperationEntry>(orderRef, 'operation#upload-signature#');
  const used = new Set(entries.map(({ item }) => item));
  const found = await Promise.all(
    round.fileIds
      .filter((fileId) => arrived.has(fileId))
      .map(async (fileId) => {
        const facts = await headObject({ bucket: environment('INTAKE_BUCKET'), key: arrived.get(fileId) as string });
        const upload = (earlier: number) => uploadSignatureName(earlier, fileId, facts?.versionId ?? '');
        const rounds = [...Array(round.number).keys()].filter((earlier) => used.has(`operation#${upload(earlier)}`));
        return (await isOutdated(orderRef, round.number, fileId, rounds.at(-1))) ? [fileId] : [];
      }),
  );
  return found.flat();
}

/** Whether the signature was used in an earlier round, for a document of other content. */
async function isOutdated(
  orderRef: string,
  round: number,
  fileId: string,
  earlier: number | undefined,
): Promise<boolean> {
  if (earlier === undefined) return false;
  const [before, now] = await Promise.all([earlier, round].map((number) => findToSign(orderRef, number, fileId)));
  return before?.sha256 !== now?.sha256;
}
