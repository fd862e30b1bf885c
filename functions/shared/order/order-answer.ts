import type { components } from '../generated/order-service.ts';
import { nestingDepth, numberText, parseLossless, printLossless, topLevelMember } from '../json/lossless-json.ts';
import type { ServiceNames, ServiceWords } from './service-names.ts';

type Schemas = components['schemas'];

/** The contract's, with identifiers as texts. */
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

/** An answer that can't be used, and which of its fields is to blame. `message` follows on "the service answered 200, but". */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';
}

/** What a read says of an order. */
export interface OrderAnswer {
  /** Identifiers are texts, whatever the service sends; an offer's status is its `status`. */
  order: Order;
  /** `offers[]` in the same words, every other value as it came; absent where the service sent none. */
  offersText: string | undefined;
}

/**
 * The longest identifier, percent-encoded. It becomes part of S3 keys and of sort keys, which have at most 1,024 bytes together with the
 * `orderRef` (64) and our own words.
 */
const LONGEST_IDENTIFIER = 900;
const LONGEST_STATUS = 100;
/** Levels of lists and objects in each other. */
const DEEPEST_LIST = 100;

/**
 * The order that a read's body describes. Only what we go by is looked at: the questionnaire and the issues may be anything.
 * @param body the parsed `text`.
 * @throws UnusableAnswer
 */
export function orderIn(
  text: string,
  body: Record<string, unknown>,
  { names, otherStatuses }: ServiceWords,
): OrderAnswer {
  const status = statusIn(body, otherStatuses);
  // In any other status nobody asks for them: whatever is listed there is passed over.
  const isToSign = status === 'WAITING_FOR_SIGNATURE';
  const documents = isToSign ? listIn(text, body, 'documents', documentInOurWords) : undefined;
  const offers = listIn(text, body, 'offers', (offer, at) => offerInOurWords(offer, at, names));
  if (isToSign) checkDocumentsToSign(documents?.list ?? []);
  const lists = { ...(documents && { documents: documents.list }), ...(offers && { offers: offers.list }) };
  const { documents: _documents, offers: _offers, ...rest } = body;
  return { order: { ...rest, status, ...lists } as Order, offersText: offers?.text };
}

function statusIn({ status }: Record<string, unknown>, otherStatuses: ServiceWords['otherStatuses']): string {
  if (typeof status !== 'string' || status === '') throw new UnusableAnswer('the order has no status');
  if (status.length > LONGEST_STATUS || !status.isWellFormed()) throw new UnusableAnswer('its status can not be used');
  return (Object.hasOwn(otherStatuses, status) && otherStatuses[status]) || status;
}

/**
 * An identifier in an answer: a text, or a number whose digits are kept as they came.
 * @param body the parsed `text`.
 * @throws UnusableAnswer
 */
export function identifierIn(text: string, body: Record<string, unknown>, name: string): string {
  const value = typeof body[name] === 'number' ? topLevelMember(text, name) : body[name];
  if (typeof value !== 'string' || value === '') throw new UnusableAnswer(`the body has no ${name}`);
  checkIdentifier(value, name);
  return value;
}

/** @throws UnusableAnswer for a text that can't be part of an address or a key. */
function checkIdentifier(value: string, field: string): void {
  const problem = identifierProblem(value);
  if (problem !== undefined) throw new UnusableAnswer(`its ${field} ${problem}`);
}

/** Why a text can't be part of an address or a key, as the end of a sentence; undefined where it can. */
export function identifierProblem(value: string): string | undefined {
  // Of half a character (a lone surrogate) there is no percent-encoding.
  if (!value.isWellFormed()) return 'is no well-formed text';
  // They would be steps in the path of an address.
  if (value === '.' || value === '..') return `is "${value}"`;
  if (value.length <= LONGEST_IDENTIFIER && encodeURIComponent(value).length <= LONGEST_IDENTIFIER) return undefined;
  return `is longer than ${LONGEST_IDENTIFIER} characters, percent-encoded`;
}

type Element = Record<string, unknown>;
/** Changes an element to our words and answers whether it had others. */
type ToOurWords = (element: unknown, field: string) => boolean;

/** A list of the body in our words, parsed and as text; undefined where there is none. */
function listIn(
  text: string,
  body: Record<string, unknown>,
  name: string,
  toOurWords: ToOurWords,
): { list: unknown[]; text: string } | undefined {
  if (body[name] === undefined || body[name] === null) return undefined;
  if (!Array.isArray(body[name])) throw new UnusableAnswer(`${name} is not a list`);
  const listText = topLevelMember(text, name) as string;
  if (nestingDepth(listText) > DEEPEST_LIST) {
    throw new UnusableAnswer(`${name} is nested deeper than ${DEEPEST_LIST} levels`);
  }
  const list = parseLossless(listText) as unknown[];
  const hadOtherWords = list.map((element, index) => toOurWords(element, `${name}[${index}]`)).some(Boolean);
  const ourText = hadOtherWords ? printLossless(list) : listText;
  return { list: JSON.parse(ourText) as unknown[], text: ourText };
}

function isObject(element: unknown): element is Element {
  return typeof element === 'object' && element !== null && !Array.isArray(element);
}

function documentInOurWords(document: unknown, field: string): boolean {
  if (!isObject(document)) throw new UnusableAnswer(`${field} is not an object`);
  const wasNumber = numberToText(document, 'fileId');
  if (typeof document.fileId !== 'string' || document.fileId === '') throw new UnusableAnswer(`${field} has no fileId`);
  checkIdentifier(document.fileId, `${field}.fileId`);
  return wasNumber;
}

/** What is no offer, or has no `offerId`, can't be chosen: the others count. */
function offerInOurWords(offer: unknown, field: string, { offerStatus }: ServiceNames): boolean {
  if (!isObject(offer)) return false;
  const changes = [numberToText(offer, 'offerId')];
  if (typeof offer.offerId === 'string') checkIdentifier(offer.offerId, `${field}.offerId`);
  if (offerStatus !== 'status') changes.push(renameStatus(offer, offerStatus));
  const options: unknown[] = Array.isArray(offer.creditOptions) ? offer.creditOptions : [];
  for (const [index, option] of options.entries()) {
    if (!isObject(option)) continue;
    changes.push(numberToText(option, 'code'));
    if (typeof option.code === 'string') checkIdentifier(option.code, `${field}.creditOptions[${index}].code`);
  }
  return changes.some(Boolean);
}

/** The service's own member stays beside ours. */
function renameStatus(offer: Element, offerStatus: string): boolean {
  offer.status = offer[offerStatus];
  return true;
}

function numberToText(element: Element, name: string): boolean {
  const digits = numberText(element[name]);
  if (digits === undefined) return false;
  element[name] = digits;
  return true;
}

function checkDocumentsToSign(documents: unknown[]): void {
  const fileIds = (documents as { fileId: string }[]).map(({ fileId }) => fileId);
  if (fileIds.length === 0) throw new UnusableAnswer('the order waits for signatures and its documents[] is empty');
  const isTwice = (fileId: string, index: number) => fileIds.indexOf(fileId) < index;
  const index = fileIds.findIndex(isTwice);
  if (index >= 0) throw new UnusableAnswer(`documents[${index}] has the fileId of another document`);
}
