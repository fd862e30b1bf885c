import { ServiceError } from './errors.ts';
import { newIdentifier } from './identifiers.ts';
import { type ReceivedForm, requiredField, singleFile } from './multipart.ts';
import type { Offer } from './offers.ts';
import {
  documentsOfRound,
  type GeneratedDocument,
  type OrderBook,
  type SimulatedOrder,
  type UploadedSignature,
} from './order-book.ts';
import { accept, confirm, type OrderStatus } from './order-machine.ts';
import { checkSignature } from './signature-check.ts';

/** Endpoint 3. Throws 400 for a bad form and 409 in a status other than WAITING_FOR_DOCUMENTS. */
export function addDocument(book: OrderBook, orderId: string, form: ReceivedForm): void {
  const order = book.get(orderId);
  const document = {
    entityId: requiredField(form, 'entityId'),
    sourceEntityId: requiredField(form, 'sourceEntityId'),
    docType: requiredField(form, 'docType'),
    file: singleFile(form, 'file'),
  };
  requireStatus(order, 'Uploading a document', ['WAITING_FOR_DOCUMENTS']);
  order.uploadedDocuments.push(document);
}

/**
 * Endpoint 6. A new signature for a document replaces the earlier one. Throws 400 for a bad form, 404 for an unknown document,
 * 409 in another status or for a document of an earlier round, 413 for a signature that is too large, 422 for a wrong one.
 */
export async function addSignature(
  book: OrderBook,
  orderId: string,
  form: ReceivedForm,
  largestBytes: number,
): Promise<UploadedSignature> {
  const fileId = requiredField(form, 'fileId');
  const file = singleFile(form, 'signature');
  const order = book.get(orderId);
  const document = findDocument(order, fileId);
  requireAwaited(order, document);
  // The form was read with this limit, so `bytes` is absent if the signature is larger.
  if (!file.bytes) {
    const message = `A signature may have at most ${largestBytes} bytes; this one has ${file.size}.`;
    throw new ServiceError(413, 'too_large', message);
  }
  const checked = await checkSignature(file.bytes, await book.content(order, document));
  // The order may have changed while the signature was checked.
  requireAwaited(book.get(orderId), document);
  const signature: UploadedSignature = { signatureId: newIdentifier(book.settings), fileId, file, ...checked };
  document.signature = signature;
  order.signatures.push(signature);
  return signature;
}

/** Endpoint 4. Throws 409 in another status, or if an upload is missing. */
export function acceptUploads(book: OrderBook, orderId: string): SimulatedOrder {
  const order = book.get(orderId);
  requireStatus(order, 'Accept', ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE']);
  if (order.status === 'WAITING_FOR_DOCUMENTS' && order.uploadedDocuments.length === 0) {
    throw new ServiceError(409, 'documents_missing', 'No document has been uploaded.');
  }
  const unsigned = documentsOfRound(order).filter((document) => !document.signature);
  if (order.status === 'WAITING_FOR_SIGNATURE' && unsigned.length > 0) {
    const fileIds = unsigned.map((document) => document.fileId).join(', ');
    throw new ServiceError(409, 'signatures_missing', `These documents have no signature: ${fileIds}.`);
  }
  move(book, order, accept(order.progress, book.now()));
  return order;
}

/**
 * Endpoint 7. Throws 400 for missing fields, 404 for an unknown offer, 409 in another status or for an offer that is confirmed or
 * not available, 422 for an unknown credit option code.
 */
export function confirmOffer(book: OrderBook, orderId: string, body: Record<string, unknown>): SimulatedOrder {
  const order = book.get(orderId);
  const { names } = book.settings;
  const offerId = requiredIdentifier(book, body, names.confirmOfferId);
  const code = requiredIdentifier(book, body, names.confirmCode);
  requireStatus(order, 'Confirm', ['OFFERS_AVAILABLE', 'OFFERS_APPROVED']);
  const offer = findOffer(order, offerId, book.settings.confirmedStatus);
  if (!offer.creditOptions.some((option) => option.code === code)) {
    throw new ServiceError(422, 'unknown_credit_option', `Offer ${offerId} has no credit option with code ${code}.`);
  }
  move(book, order, confirm(order.progress, book.now()));
  offer.status = book.settings.confirmedStatus;
  order.confirmations.push({ offerId, code, at: book.now() });
  return order;
}

/** A generated document of any round. Throws 404 if the order has no such document. */
export function findDocument(order: SimulatedOrder, fileId: string): GeneratedDocument {
  const document = order.generatedDocuments.find((candidate) => candidate.fileId === fileId);
  if (document) return document;
  throw new ServiceError(404, 'document_not_found', `Order ${order.orderId} has no generated document ${fileId}.`);
}

function findOffer(order: SimulatedOrder, offerId: string, confirmedStatus: string): Offer {
  const offer = order.offers.find((candidate) => candidate.offerId === offerId);
  if (!offer) throw new ServiceError(404, 'offer_not_found', `Order ${order.orderId} has no offer ${offerId}.`);
  if (offer.status === confirmedStatus) {
    throw new ServiceError(409, 'offer_already_confirmed', `Offer ${offerId} is already confirmed.`);
  }
  if (offer.status !== 'AVAILABLE') {
    throw new ServiceError(409, 'offer_not_available', `Offer ${offerId} is ${offer.status}, not AVAILABLE.`);
  }
  return offer;
}

function requireAwaited(order: SimulatedOrder, document: GeneratedDocument): void {
  requireStatus(order, 'Uploading a signature', ['WAITING_FOR_SIGNATURE']);
  if (documentsOfRound(order).includes(document)) return;
  throw new ServiceError(409, 'document_not_awaited', `Document ${document.fileId} is not among those to sign now.`);
}

function requireStatus(order: SimulatedOrder, operation: string, allowed: readonly OrderStatus[]): void {
  if (allowed.includes(order.status)) return;
  const needs = `${operation} needs an order that is ${allowed.join(' or ')}`;
  throw new ServiceError(409, 'wrong_state', `${needs}; this one is ${order.status}.`);
}

/** Throws 400. If identifiers are numbers, digits in quotes are not accepted. */
function requiredIdentifier({ settings }: OrderBook, body: Record<string, unknown>, name: string): string {
  const value = body[name];
  const isNumber = typeof value === 'object' && value !== null && 'rawJSON' in value;
  if (settings.identifiers === 'numbers' && isNumber) return String(value.rawJSON);
  if (typeof value === 'string' && value !== '' && (settings.identifiers === 'texts' || !/^[1-9]\d*$/.test(value)))
    return value;
  throw new ServiceError(400, 'missing_field', `The body has no text in the field ${name}.`);
}

function move(book: OrderBook, order: SimulatedOrder, progress: SimulatedOrder['progress'] | undefined): void {
  if (!progress) throw new Error(`Order ${order.orderId} cannot leave ${order.status} this way`);
  book.moveTo(order, progress);
}
