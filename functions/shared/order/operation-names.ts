/**
 * The identity of every effect on the order service: made here, outside the retried code, the same through all retries and
 * executions. A file replaced by a new version is a new operation.
 */
export function uploadDocumentName(round: number, position: number, document: { versionId: string }): string {
  return `${uploadDocumentPrefix(round, position)}${document.versionId}`;
}

/** What the names of a document's uploads in a round begin with, whatever version they send. */
export function uploadDocumentPrefix(round: number, position: number): string {
  return `upload-document#${round}#${position}@`;
}

export function acceptName(kind: 'documents' | 'signatures', round: number): string {
  return `accept-${kind}#${round}`;
}

export function uploadSignatureName(round: number, fileId: string, versionId: string): string {
  return `upload-signature#${round}#${fileId}@${versionId}`;
}

export function confirmName(offerId: string): string {
  return `confirm#${offerId}`;
}
