import type { DigestAlgorithm } from '@business-loan-orders/detached-signatures/create-signature';
import type { SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import type { OrderItem } from '../order/order-item.ts';
import { digestOf, listToSign, openToSign, type ToSign } from './to-sign.ts';

/** Gives the gate access to a staged document. */
export function signedDocument(
  { orderRef, signaturesRound }: Pick<OrderItem, 'orderRef' | 'signaturesRound'>,
  document: ToSign,
): SignedDocument {
  return {
    digest: (algorithm) => digestOf(document, algorithm),
    open: () => openToSign(document),
    describeOwner: (algorithm, digest) =>
      describeOwner(orderRef, signaturesRound?.number ?? 0, document.fileId, algorithm, digest),
  };
}

/** Searches all documents that the order was ever asked to sign. A signature is easily uploaded for the wrong document. */
async function describeOwner(
  orderRef: string,
  round: number,
  fileId: string,
  algorithm: DigestAlgorithm,
  digest: Buffer,
): Promise<string | undefined> {
  const text = digest.toString('hex');
  const staged = await listToSign(orderRef);
  const is = (digests: ToSign | NonNullable<ToSign['earlier']>[number]) => digests[algorithm] === text;
  const now = staged.find((document) => document.round === round && is(document));
  if (now) return `the document ${now.fileId}`;
  const before = staged.filter((document) => is(document) || document.earlier?.some(is));
  if (before.some((document) => document.fileId === fileId)) return 'an earlier version of this document';
  const other = before[0];
  return other && `an earlier version of the document ${other.fileId}`;
}
