import { InvalidSignature, type Limited } from './reasons.ts';

/** Limits for one signature. With its size, they bound the cost of reading and checking it. */
export const SIGNATURE_LIMITS = {
  /** Levels of nested elements. A signature has about 12, or 25 with a time stamp. */
  depth: 40,
  /** Bytes of an object identifier. This bounds its arcs, too: RFC 5280, appendix B, requires support for 20. */
  identifierBytes: 64,
  signers: 16,
  certificates: 64,
  certificateBytes: 32 * 1024,
  /** Verifications of certificates with an issuer's GOST key. */
  gostIssuers: 32,
  attributes: 64,
  attributesBytes: 32 * 1024,
} as const;

/** An element of BER or DER (X.690, section 8.1). Its buffers are views of the input. */
export interface Element {
  /** The identifier octet: class, constructed bit and number. */
  tag: number;
  /** With tag and length. */
  bytes: Buffer;
  /** Without the end-of-contents octets. */
  content: Buffer;
}

export const BOOLEAN = 0x01;
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OBJECT_IDENTIFIER = 0x06;
export const OCTET_STRING = 0x04;
export const SEQUENCE = 0x30;
export const SET = 0x31;

export const CONSTRUCTED = 0x20;
const HIGH_NUMBER = 0x1f;
/** Types that BER never divides: BOOLEAN, INTEGER, NULL, object identifiers (X.690, section 8). */
const CONSTRUCTED_SIMPLE = [0x21, 0x22, 0x25, 0x26];
const END_OF_CONTENTS = 0x00;

/**
 * Checks that the bytes are one well-formed element within the limits, with nothing but `padding` after its end. Time grows with the bytes,
 * memory only with the depth.
 * @throws InvalidSignature. It quotes none of the bytes.
 */
export function requireBounded(bytes: Buffer, padding: readonly number[] = []): void {
  /** The open elements, the innermost last. An element of indefinite length must end with end-of-contents octets before its parent ends. */
  const open: { end: number; isIndefinite: boolean }[] = [];
  let at = 0;
  do {
    const parent = open.at(-1);
    const { tag, start, length } = headAt(bytes, at, parent?.end ?? bytes.length);
    const isConstructed = (tag & CONSTRUCTED) !== 0;
    if (tag === OBJECT_IDENTIFIER) requireAtMost('identifierBytes', length ?? 0, 'bytes in an object identifier');
    if ((tag === BOOLEAN && length !== 1) || CONSTRUCTED_SIMPLE.includes(tag)) throw damaged();
    if (tag === END_OF_CONTENTS) {
      if (!parent?.isIndefinite || length !== 0) throw damaged();
      open.pop();
    } else if (isConstructed) {
      const end = length === undefined ? (parent?.end ?? bytes.length) : start + length;
      requireAtMost('depth', open.push({ end, isIndefinite: length === undefined }), 'levels');
    }
    at = isConstructed ? start : start + (length ?? 0);
    while (open.at(-1)?.end === at && !open.at(-1)?.isIndefinite) open.pop();
  } while (open.length > 0);
  const extra = bytes.subarray(at).findLastIndex((octet) => !padding.includes(octet)) + 1;
  if (extra > 0) throw new InvalidSignature('FORMAT_FAILURE.longer', { bytes: extra });
}

/** @throws InvalidSignature if a signature exceeds one of the limits. */
export function requireAtMost(name: keyof typeof SIGNATURE_LIMITS, found: number, of: Limited): void {
  const most = SIGNATURE_LIMITS[name];
  if (found > most) throw new InvalidSignature('FORMAT_FAILURE.limit', { most, of });
}

/** Yields the consecutive elements in these bytes. */
export function* elementsIn(content: Buffer): Generator<Element> {
  for (let at = 0; at < content.length; ) {
    const element = elementAt(content, at);
    yield element;
    at += element.bytes.length;
  }
}

export function listOf({ content }: Element, what: 'signers' | 'certificates' | 'attributes'): Element[] {
  const found: Element[] = [];
  for (const element of elementsIn(content)) {
    requireAtMost(what, found.push(element), what);
    // Only certificates that are not X.509 have another tag.
    if (what !== 'certificates' && element.tag !== SEQUENCE) throw new InvalidSignature('FORMAT_FAILURE.elements');
  }
  return found;
}

/** Decodes an object identifier to a string such as `1.2.840.113549.1.7.2` (X.690, section 8.19). */
export function identifierText(content: Buffer): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const octet of content) {
    arc = (arc << 7n) | BigInt(octet & 0x7f);
    if ((octet & 0x80) !== 0) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [first, ...others] = arcs;
  if (first === undefined || ((content.at(-1) ?? 0) & 0x80) !== 0) throw damaged();
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - root * 40n, ...others].join('.');
}

const [UTC_TIME, GENERALIZED_TIME] = [0x17, 0x18];
const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d(?:\.\d{1,9})?)Z$/;

/** Decodes a UTCTime or GeneralizedTime (RFC 5280, section 4.1.2.5; RFC 3161, section 2.4.2). */
export function decodeTime({ tag, content }: Element): Date {
  const text = content.toString('latin1');
  const year = tag === UTC_TIME ? (text < '5' ? '20' : '19') : '';
  const parts = tag === UTC_TIME || tag === GENERALIZED_TIME ? TIME.exec(year + text) : undefined;
  const date = new Date(parts ? `${parts.slice(1, 4).join('-')}T${parts.slice(4).join(':')}Z` : Number.NaN);
  if (Number.isNaN(date.getTime())) throw new Error('it has a time that cannot be read');
  return date;
}

export function elementAt(bytes: Buffer, at = 0): Element {
  const { tag, start, length } = headAt(bytes, at, bytes.length);
  const end = length === undefined ? endOfContents(bytes, start) : start + length;
  const content = bytes.subarray(start, length === undefined ? end - 2 : end);
  return { tag, bytes: bytes.subarray(at, end), content };
}

/** Returns the end of an element of indefinite length. `at` is where its content begins. */
function endOfContents(bytes: Buffer, at: number): number {
  let next = at;
  for (let open = 1; open > 0; ) {
    const { tag, start, length } = headAt(bytes, next, bytes.length);
    if (length === undefined) open += 1;
    else if (tag === END_OF_CONTENTS) open -= 1;
    next = start + (length ?? 0);
  }
  return next;
}

/** Reads the tag, the start of the content and its length (undefined if indefinite). The element must not extend beyond `limit`. */
function headAt(bytes: Buffer, at: number, limit: number): { tag: number; start: number; length: number | undefined } {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined || at + 2 > limit) throw damaged();
  if ((tag & HIGH_NUMBER) === HIGH_NUMBER) throw new InvalidSignature('FORMAT_FAILURE.tag');
  if (first === 0x80 && (tag & CONSTRUCTED) !== 0) return { tag, start: at + 2, length: undefined };
  const octets = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + octets;
  // No file needs more than 6 octets for its length.
  if (first === 0x80 || octets > 6 || start > limit) throw damaged();
  const length = octets === 0 ? first : bytes.readUIntBE(at + 2, octets);
  if (start + length > limit) throw damaged();
  return { tag, start, length };
}

function damaged(): InvalidSignature {
  return new InvalidSignature('FORMAT_FAILURE.damaged');
}

/** The tags of each structure's elements, in hexadecimal (RFC 5652, sections 3, 5 and 10; RFC 5280, section 4.1; RFC 6960, section 4.2.1). */
const shapes = {
  contentInfo: /^06 a0$/,
  content: /^30$/,
  signedData: /^02 31 30( a0)?( a1)? 31$/,
  encapContentInfo: /^06( a0)?$/,
  signerInfo: /^02 (30|80) 30( a0)? 30 04( a1)?$/,
  issuerAndSerialNumber: /^30 02$/,
  algorithm: /^06( ..)?$/,
  attribute: /^06 31$/,
  essCertificate: /^(30 )?04( 30)?$/,
  certificate: /^30 30 03$/,
  publicKey: /^30 03$/,
  revocationList: /^(02 )?30 30 1[78]( 1[78])?( 30)?( a0)?$/,
  responseData: /^(a0 )?a[12] 18 30( a1)?$/,
  singleResponse: /^30 (80|a1|82) 18( a0)?( a1)?$/,
  tbsCertificate: /^(a0 )?02 30 30 30 30 30( 81)?( 82)?( a3)?$/,
  extensions: /^30$/,
  extension: /^06( 01)? 04$/,
  attributeOfName: /^06 ..$/,
};
const MOST_PARTS = 10;

export const [TAGGED_0, TAGGED_3] = [0xa0, 0xa3];

export type Pair = [Element, Element];

/** The elements of a structure. Unexpected ones are refused, because the service would receive them with the signature. */
export function partsOf<Parts extends Element[] = [Element, ...Element[]]>(
  { content }: Element,
  shape: keyof typeof shapes,
): Parts {
  const parts: Element[] = [];
  for (const part of elementsIn(content)) if (parts.push(part) > MOST_PARTS) break;
  const tags = parts.map(({ tag }) => tag.toString(16).padStart(2, '0'));
  if (shapes[shape].test(tags.join(' '))) return parts as Parts;
  throw new InvalidSignature('FORMAT_FAILURE.elements');
}
