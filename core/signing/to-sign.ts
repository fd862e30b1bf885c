import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DigestAlgorithm } from '@business-loan-orders/detached-signatures/create-signature';
import { getItem, putItem, queryItems, updateItem } from '../aws/order-table.ts';
import { openObject } from '../aws/storage.ts';
import type { OrderItem } from '../order/order-item.ts';
import { signatureKey } from '../package/intake-key.ts';
import { stageJson } from '../people/staging.ts';
import { stackSettings } from '../settings.ts';

/** Digests of a document in hexadecimal. */
type Digests = Record<DigestAlgorithm, string>;

/** A staged document to sign: the item `to-sign#<round>#<fileId>` in the order's record. */
export interface ToSign extends Digests {
  fileId: string;
  /** The service's file name, if it gave one. It may be anything. */
  name?: string;
  /** Key in the staging bucket. */
  key: string;
  versionId: string;
  contentType: string;
  /** Bytes. */
  size: number;
  /** Set if the document has changed at the service. It must then be staged again. */
  changedAt?: string;
  /** Digests of the versions before the document changed. */
  earlier?: Digests[];
  /** Version of the signature that was in intake when the change was found. It belongs to an earlier document. */
  signatureBefore?: string;
}

const keyOf = (orderRef: string, round: number, fileId: string) => ({ orderRef, item: `to-sign#${round}#${fileId}` });

export async function saveToSign(orderRef: string, round: number, document: ToSign): Promise<void> {
  await putItem({ ...keyOf(orderRef, round, document.fileId), ...document });
}

export async function findToSign(orderRef: string, round: number, fileId: string): Promise<ToSign | undefined> {
  return getItem<ToSign>(keyOf(orderRef, round, fileId));
}

/** Records that the document has changed at the service. `signature` is the version of the staged document's signature. */
export async function markChanged(orderRef: string, round: number, fileId: string, signature: string): Promise<void> {
  const changes = { changedAt: new Date().toISOString(), signatureBefore: signature };
  await updateItem(keyOf(orderRef, round, fileId), changes, 'attribute_exists(orderRef)');
}

/** Lists the documents of one round, or of all rounds. */
export async function listToSign(orderRef: string, round?: number): Promise<(ToSign & { round: number })[]> {
  const prefix = round === undefined ? 'to-sign#' : `to-sign#${round}#`;
  const staged = await queryItems<ToSign & { item: string }>(orderRef, prefix);
  return staged.map((document) => ({ ...document, round: Number(document.item.split('#')[1]) }));
}

export function openToSign({ key, versionId }: ToSign): Promise<Readable> {
  return openObject({ bucket: stackSettings.stagingBucket, key, versionId });
}

/** The digest of a staged document. Reads the document if the digest is not recorded. */
export async function digestOf(document: ToSign, algorithm: DigestAlgorithm): Promise<Buffer> {
  const recorded = document[algorithm];
  if (recorded !== undefined) return Buffer.from(recorded, 'hex');
  const hash = createHash(algorithm);
  await pipeline(await openToSign(document), hash);
  return hash.digest();
}

/**
 * Stages `to-sign.json`: what to sign, who signs, each document's SHA-256 and where its signature goes.
 * @param staged hash of the page that is staged already. The same page is not written again, because that would look new.
 */
export async function stageToSign(
  { orderRef, signaturesRound, signing }: Pick<OrderItem, 'orderRef' | 'signaturesRound' | 'signing'>,
  staged?: string,
): Promise<string | undefined> {
  if (!signaturesRound) return undefined;
  const listed = await listToSign(orderRef, signaturesRound.number);
  const documents = listed.map(({ fileId, name, key, versionId, contentType, size, sha256 }) => {
    const signature = `s3://${stackSettings.intakeBucket}/${signatureKey(orderRef, fileId)}`;
    return { fileId, name, key, versionId, contentType, size, sha256, signature };
  });
  const page = { orderRef, round: signaturesRound.number, signing, documents };
  const hash = createHash('sha256').update(JSON.stringify(page)).digest('hex');
  if (hash !== staged) await stageJson(orderRef, 'to-sign.json', page);
  return hash;
}
