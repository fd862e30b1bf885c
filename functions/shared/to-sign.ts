import { getItem, putItem } from './table.ts';

/** A document to sign as it was staged, `to-sign#<round>#<fileId>` in the order's record. */
export interface ToSign {
  fileId: string;
  /** Key in the staging bucket. */
  key: string;
  versionId: string;
  contentType: string;
  /** Bytes. */
  size: number;
  sha256: string;
}

export async function saveToSign(orderRef: string, round: number, document: ToSign): Promise<void> {
  await putItem({ orderRef, item: `to-sign#${round}#${document.fileId}`, ...document });
}

export async function findToSign(orderRef: string, round: number, fileId: string): Promise<ToSign | undefined> {
  return getItem<ToSign>({ orderRef, item: `to-sign#${round}#${fileId}` });
}
