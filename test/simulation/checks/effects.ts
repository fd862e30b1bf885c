import type { SimulatedOrder } from '@business-loan-orders/order-simulator';

/** Whether the service has carried it out. `statuses`: what our record said since it was sent. */
export function isCarriedOut(name: string, order: SimulatedOrder, statuses: ReadonlySet<string>): boolean {
  const [kind = '', of] = name.split('#');
  if (kind === 'confirm') return order.confirmations.some(({ offerId }) => offerId === of);
  // If the service asks for the same documents again before a read shows another status, no read tells of the accept.
  const asked = 'WAITING_FOR_DOCUMENTS';
  if (kind === 'accept-documents' && order.status === asked && [...statuses].every((one) => one === asked))
    return false;
  return kind.startsWith('accept') && effectsAt(order).filter((one) => one === effectOf(name)).length >= Number(of);
}

/** What an operation does, without its round and version, which the service does not know. */
export function effectOf(name: string): string | undefined {
  const [, position] = /^upload-document#\d+#(\d+)@/.exec(name) ?? [];
  if (position !== undefined) return `upload of document-${position}`;
  const [, fileId] = /^upload-signature#\d+#(.+)@/.exec(name) ?? [];
  if (fileId !== undefined) return `upload of the signature of ${fileId}`;
  const [, kind] = /^accept-(documents|signatures)#/.exec(name) ?? [];
  return kind && `accept of ${kind}`;
}

export function effectsAt({ uploadedDocuments, signatures, progress }: SimulatedOrder): string[] {
  // The service leaves these statuses only after an accept, unless it goes back.
  const { history } = progress;
  const left = history.slice(0, -1).flatMap(({ status }, position) => (history[position + 1]?.isBack ? [] : [status]));
  return [
    ...uploadedDocuments.map(({ sourceEntityId }) => `upload of ${sourceEntityId}`),
    ...signatures.map(({ fileId }) => `upload of the signature of ${fileId}`),
    ...left.filter((status) => status === 'WAITING_FOR_DOCUMENTS').map(() => 'accept of documents'),
    ...left.filter((status) => status === 'WAITING_FOR_SIGNATURE').map(() => 'accept of signatures'),
  ];
}
