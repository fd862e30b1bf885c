import type { components } from '../generated/order-service.ts';
import {
  extentOf,
  hasRepeatedName,
  numberText,
  parseLossless,
  printLossless,
  topLevelMember,
} from '../json/lossless-json.ts';
import { REMOVED } from '../used-secrets.ts';
import { isOrderStatus } from './order-status.ts';
import type { ServiceNames, ServiceTranslation } from './service-names.ts';

type Schemas = components['schemas'];

/** The order as the contract defines it, but identifiers are strings. */
export interface Order extends Pick<Schemas['Order'], 'status' | 'pollAfterSeconds' | 'questionnaire' | 'issues'> {
  /** In WAITING_FOR_SIGNATURE alone: at least one, and each fileId once. */
  documents?: { fileId: string }[];
  offers?: Offer[];
}

export interface Offer extends Pick<Schemas['Offer'], 'status'> {
  offerId: string;
  creditOptions?: { code: string }[];
  [field: string]: unknown;
}

/** An answer that cannot be used. `message` names the field, and continues the sentence "the service answered 200, but …". */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';
}

/** The answer has an unknown status. It may come from another server, or the service has a new status. */
export class UnknownStatus extends UnusableAnswer {
  readonly status: string;

  constructor(status: string) {
    super(`its status ${status} is none of the seven (setting orderService.otherStatuses)`);
    this.status = status;
  }
}

export interface OrderAnswer {
  /** Identifiers are strings, and an offer's status is in `status`, whatever the service sends. */
  order: Order;
  /** Text of `offers[]` with our field names. All other values are unchanged. Undefined if the service sent none. */
  offersText: string | undefined;
}

/**
 * The longest identifier, percent-encoded. It becomes part of S3 keys and sort keys, which may have 1,024 bytes. The rest is for the
 * `orderRef` (64) and our own prefixes.
 */
const MAX_IDENTIFIER = 900;
const MAX_STATUS = 100;
const LIKE_A_STATUS = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
const MAX_DEPTH = 100;
/** More are treated like an answer that is too large: people choose from this list. */
const MOST_OFFERS = 1_000;

/**
 * `body` is the parsed `text`. Checks only what we use: other members may be anything.
 * @param orderId of the order that was read. Without it, the answer may be about any order.
 * @throws UnusableAnswer
 */
export function readAnswer(
  text: string,
  body: Record<string, unknown>,
  { names, otherStatuses }: ServiceTranslation,
  orderId?: string,
): OrderAnswer {
  const named = body[names.orderId] ?? undefined;
  if (orderId !== undefined && named !== undefined && textOf(text, body, names.orderId) !== orderId)
    throw new UnusableAnswer('it is about another order (setting orderService.compareOrderId)');
  const status = statusIn(body, otherStatuses);
  // In any other status the list is not used, so it is not checked.
  const isToSign = status === 'WAITING_FOR_SIGNATURE';
  const documents = isToSign ? listIn(text, body, 'documents', documentInOurWords) : undefined;
  const { length } = Array.isArray(body.offers) ? body.offers : [];
  if (length > MOST_OFFERS) throw new UnusableAnswer(`it lists ${length} offers, and at most ${MOST_OFFERS} are read`);
  const offers = listIn(text, body, 'offers', (offer, at) => offerInOurWords(offer, at, names));
  if (isToSign) checkDocumentsToSign(documents?.list ?? []);
  const lists = { ...(documents && { documents: documents.list }), ...(offers && { offers: offers.list }) };
  const { documents: _documents, offers: _offers, ...rest } = body;
  return { order: { ...rest, status, ...lists } as Order, offersText: offers?.text };
}

function statusIn({ status }: Record<string, unknown>, otherStatuses: ServiceTranslation['otherStatuses']): string {
  if (typeof status !== 'string' || status === '') throw new UnusableAnswer('the order has no status');
  const known = (Object.hasOwn(otherStatuses, status) && otherStatuses[status]) || status;
  if (isOrderStatus(known)) return known;
  if (status.length > MAX_STATUS || !LIKE_A_STATUS.test(status)) throw new UnusableAnswer('its status cannot be used');
  throw new UnknownStatus(status);
}

/** A string, or a number with all its digits. `body` is the parsed `text`. @throws UnusableAnswer */
export function identifierIn(text: string, body: Record<string, unknown>, name: string): string {
  const value = textOf(text, body, name);
  if (typeof value !== 'string' || value === '') throw new UnusableAnswer(`the body has no ${name}`);
  checkIdentifier(value, name);
  return value;
}

/** Preserves all digits of a number. */
const textOf = (text: string, body: Record<string, unknown>, name: string) =>
  typeof body[name] === 'number' ? topLevelMember(text, name) : body[name];

/** @throws UnusableAnswer if the value cannot be part of a URL or a key. */
function checkIdentifier(value: string, field: string): void {
  const problem = identifierProblem(value);
  if (problem !== undefined) throw new UnusableAnswer(`its ${field} ${problem}`);
}

/** Says why a string cannot be part of a URL or a key, as the end of a sentence; undefined if it can. */
export function identifierProblem(value: string): string | undefined {
  if (value === '') return 'is empty';
  if (value.includes(REMOVED)) return 'shows a secret';
  // A lone surrogate cannot be percent-encoded.
  if (!value.isWellFormed()) return 'is not well-formed text';
  // In the path of a URL, these two mean a folder.
  if (value === '.' || value === '..') return `is "${value}"`;
  if (value.length <= MAX_IDENTIFIER && encodeURIComponent(value).length <= MAX_IDENTIFIER) return undefined;
  return `is longer than ${MAX_IDENTIFIER} characters, percent-encoded`;
}

type Element = Record<string, unknown>;
/** Renames an element's fields to ours. Returns whether it has changed. */
type ToOurWords = (element: unknown, field: string) => boolean;

/** An array of the body with our field names, parsed and as text; undefined if there is none. */
function listIn(
  text: string,
  body: Record<string, unknown>,
  name: string,
  toOurWords: ToOurWords,
): { list: unknown[]; text: string } | undefined {
  if (body[name] === undefined || body[name] === null) return undefined;
  if (!Array.isArray(body[name])) throw new UnusableAnswer(`${name} is not an array`);
  const listText = topLevelMember(text, name) as string;
  if (hasRepeatedName(listText)) throw new UnusableAnswer(`${name} has a name twice`);
  const isDeep = extentOf(listText).depth > MAX_DEPTH;
  if (isDeep) throw new UnusableAnswer(`${name} is nested deeper than ${MAX_DEPTH} levels`);
  const list = parseLossless(listText) as unknown[];
  const isChanged = list.map((element, index) => toOurWords(element, `${name}[${index}]`)).some(Boolean);
  const ourText = isChanged ? printLossless(list) : listText;
  return { list: JSON.parse(ourText) as unknown[], text: ourText };
}

const isObject = (element: unknown): element is Element =>
  typeof element === 'object' && element !== null && !Array.isArray(element);

function documentInOurWords(document: unknown, field: string): boolean {
  if (!isObject(document)) throw new UnusableAnswer(`${field} is not an object`);
  const wasNumber = numberToText(document, 'fileId');
  if (typeof document.fileId !== 'string' || document.fileId === '') throw new UnusableAnswer(`${field} has no fileId`);
  checkIdentifier(document.fileId, `${field}.fileId`);
  return wasNumber;
}

/** Malformed offers, and offers without an `offerId`, are left as they are. They cannot be chosen. */
function offerInOurWords(offer: unknown, field: string, { offerStatus }: ServiceNames): boolean {
  if (!isObject(offer)) return false;
  const changes = [numberToText(offer, 'offerId'), offerStatus !== 'status'];
  if (typeof offer.offerId === 'string') checkIdentifier(offer.offerId, `${field}.offerId`);
  // The service's own field is preserved, too.
  if (offerStatus !== 'status') offer.status = offer[offerStatus];
  const options: unknown[] = Array.isArray(offer.creditOptions) ? offer.creditOptions : [];
  for (const [index, option] of options.entries()) {
    if (!isObject(option)) continue;
    changes.push(numberToText(option, 'code'));
    if (typeof option.code === 'string') checkIdentifier(option.code, `${field}.creditOptions[${index}].code`);
  }
  return changes.some(Boolean);
}

function numberToText(element: Element, name: string): boolean {
  const digits = numberText(element[name]);
  if (digits === undefined) return false;
  element[name] = digits;
  return true;
}

function checkDocumentsToSign(documents: unknown[]): void {
  const fileIds = (documents as { fileId: string }[]).map(({ fileId }) => fileId);
  if (fileIds.length === 0) throw new UnusableAnswer('the order waits for signatures, but its documents[] is empty');
  const seen = new Set<string>();
  const index = fileIds.findIndex((fileId) => seen.size === seen.add(fileId).size);
  if (index >= 0) throw new UnusableAnswer(`documents[${index}] has the fileId of another document`);
}
