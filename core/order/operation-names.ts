import { randomUUID } from 'node:crypto';
import type { CallContext } from '../errors.ts';

// Each call that changes something at the order service is an operation with one of these names. An operation keeps its name
// in all retries and executions. Uploading another version of a file is another operation.

export const uploadDocumentName = (round: number, position: number, document: { versionId: string }): string =>
  `${uploadDocumentPrefix(round, position)}${document.versionId}`;

/** The beginning of the names of all uploads of a document in a round, of any version. */
export const uploadDocumentPrefix = (round: number, position: number): string =>
  `upload-document#${round}#${position}@`;

export const acceptName = (kind: 'documents' | 'signatures', round: number): string => `accept-${kind}#${round}`;

export const uploadSignatureName = (round: number, fileId: string, versionId: string): string =>
  `${uploadSignaturePrefix(round, fileId)}${versionId}`;

export const uploadSignaturePrefix = (round: number, fileId: string): string => `upload-signature#${round}#${fileId}@`;

export const confirmName = (offerId: string): string => `confirm#${offerId}`;

/** The context of a call that changes nothing, which is in no ledger. */
export function readContext(orderRef: string, operation: 'read-order' | 'download-document'): CallContext {
  return { subject: `Order ${orderRef}`, operation, requestId: randomUUID() };
}
