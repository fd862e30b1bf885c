import { orderTable } from '../aws/order-table.ts';

/** Digests of a document in hexadecimal. Streebog takes a hundred times as long as SHA, so only if a signature needs it. */
type Digests = Record<'sha256' | 'sha384' | 'sha512', string> & Partial<Record<'streebog256' | 'streebog512', string>>;

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
  /** The last verdict in JSON, and an identity of the gate and the version of the signature. */
  verdict?: Record<'of' | 'json', string> | undefined;
}

const keyOf = (orderRef: string, round: number, fileId: string) => ({ orderRef, item: `to-sign#${round}#${fileId}` });

export async function saveToSign(orderRef: string, round: number, document: ToSign): Promise<void> {
  await orderTable.putItem({ ...keyOf(orderRef, round, document.fileId), ...document });
}

export const findToSign = async (orderRef: string, round: number, fileId: string): Promise<ToSign | undefined> =>
  orderTable.getItem<ToSign>(keyOf(orderRef, round, fileId));

/** Records that the document has changed at the service. `signature` is the version of the staged document's signature. */
export async function markChanged(orderRef: string, round: number, fileId: string, signature: string): Promise<void> {
  const changes = { changedAt: new Date().toISOString(), signatureBefore: signature };
  await orderTable.updateItem(keyOf(orderRef, round, fileId), changes, 'attribute_exists(orderRef)');
}

export type StagedDocument = ToSign & { round: number };

/** Keeps what was computed about this version of the document. */
export async function keepOfDocument(orderRef: string, document: StagedDocument, of: Partial<ToSign>): Promise<void> {
  const { round, fileId, versionId } = document;
  await orderTable.updateItem(keyOf(orderRef, round, fileId), of, 'versionId = :of', { ':of': versionId });
}

/** All documents of all signing rounds of the order. */
export const listToSign = async (orderRef: string, table = orderTable): Promise<StagedDocument[]> =>
  stagedIn(await table.queryItems(orderRef, 'to-sign#'));

export function stagedIn(items: readonly { item: string }[]): StagedDocument[] {
  const staged = items.filter(({ item }) => item.startsWith('to-sign#')) as (ToSign & { item: string })[];
  return staged.map((document) => ({ ...document, round: Number(document.item.split('#')[1]) }));
}
