import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openObject } from '../aws/storage.ts';
import type { DigestAlgorithm } from '../cms/create-signature.ts';
import { environment } from '../environment.ts';
import { signatureKey } from '../order/intake-key.ts';
import type { OrderItem } from '../order/order-item.ts';
import { getItem, putItem, queryItems, updateItem } from '../order/order-table.ts';
import { stageJson } from '../order/staging.ts';

/** Of a document, as hexadecimal text. */
export interface Digests {
  sha256: string;
  /** Absent in records from before they were kept. */
  sha384?: string | undefined;
  sha512?: string | undefined;
}

/** A document to sign as it was staged, `to-sign#<round>#<fileId>` in the order's record. */
export interface ToSign extends Digests {
  fileId: string;
  /** Key in the staging bucket. */
  key: string;
  versionId: string;
  contentType: string;
  /** Bytes. */
  size: number;
  /** Set once the service gave other bytes than these: the document is to be staged anew. */
  changedAt?: string;
  /** Digests that the document had before it changed at the service. */
  earlier?: Digests[];
  /** Version of the signature in intake when the change was found: it is of the document as it was. */
  signatureBefore?: string;
}

const keyOf = (orderRef: string, round: number, fileId: string) => ({ orderRef, item: `to-sign#${round}#${fileId}` });

export async function saveToSign(orderRef: string, round: number, document: ToSign): Promise<void> {
  await putItem({ ...keyOf(orderRef, round, document.fileId), ...document });
}

export async function findToSign(orderRef: string, round: number, fileId: string): Promise<ToSign | undefined> {
  return getItem<ToSign>(keyOf(orderRef, round, fileId));
}

/** Records that the service has another document under this `fileId` than the staged one, which `signature` was made over. */
export async function markChanged(orderRef: string, round: number, fileId: string, signature: string): Promise<void> {
  const changes = { changedAt: new Date().toISOString(), signatureBefore: signature };
  await updateItem(keyOf(orderRef, round, fileId), changes, 'attribute_exists(orderRef)');
}

/** Every document that the order was asked to sign, with its round; or those of one round. */
export async function listToSign(orderRef: string, round?: number): Promise<(ToSign & { round: number })[]> {
  const prefix = round === undefined ? 'to-sign#' : `to-sign#${round}#`;
  const staged = await queryItems<ToSign & { item: string }>(orderRef, prefix);
  return staged.map((document) => ({ ...document, round: Number(document.item.split('#')[1]) }));
}

export function openToSign({ key, versionId }: ToSign): Promise<Readable> {
  return openObject({ bucket: environment('STAGING_BUCKET'), key, versionId });
}

/** The digest of a staged document: as recorded, else by reading it once more. */
export async function digestOf(document: ToSign, algorithm: DigestAlgorithm): Promise<Buffer> {
  const recorded = document[algorithm];
  if (recorded !== undefined) return Buffer.from(recorded, 'hex');
  const hash = createHash(algorithm);
  await pipeline(await openToSign(document), hash);
  return hash.digest();
}

/**
 * `to-sign.json` in staging: what to sign, who does, each document's SHA-256 and where its signature goes.
 * @param staged hash of the page that is staged already: the same is not written again, as if it asked for something new.
 * @returns the hash of the page.
 */
export async function stageToSign(
  { orderRef, signaturesRound, signing = 'external' }: Pick<OrderItem, 'orderRef' | 'signaturesRound' | 'signing'>,
  staged?: string,
): Promise<string | undefined> {
  if (!signaturesRound) return undefined;
  const listed = await listToSign(orderRef, signaturesRound.number);
  const documents = listed.map(({ fileId, key, versionId, contentType, size, sha256 }) => {
    const signature = `s3://${environment('INTAKE_BUCKET')}/${signatureKey(orderRef, fileId)}`;
    return { fileId, key, versionId, contentType, size, sha256, signature };
  });
  const page = { orderRef, round: signaturesRound.number, signing, documents };
  const hash = createHash('sha256').update(JSON.stringify(page)).digest('hex');
  if (hash !== staged) await stageJson(orderRef, 'to-sign.json', page);
  return hash;
}
