import { CONSTRUCTED, type Element, elementsIn, OBJECT_IDENTIFIER, SEQUENCE } from './elements.ts';

const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

/** Converts BER to DER: lengths become definite, in their shortest form. */
export function toDer({ tag, content }: Element): Buffer {
  return (tag & CONSTRUCTED) === 0 ? encoded(tag, content) : encoded(tag, ...[...elementsIn(content)].map(toDer));
}

export function encoded(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const octets = length.subarray(length.findIndex((octet) => octet > 0));
  return Buffer.concat([Buffer.from([tag, 0x80 | octets.length]), octets, content]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => encoded(SEQUENCE, ...parts);

/** Encodes an object identifier such as `1.2.840.113549.1.7.2` (X.690, section 8.19). */
export function encodeOid(text: string): Buffer {
  const [root = 0, second = 0, ...others] = text.split('.').map(Number);
  const octets = [root * 40 + second, ...others].flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let rest = arc >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80);
    return digits;
  });
  return encoded(OBJECT_IDENTIFIER, Buffer.from(octets));
}

/** Encodes a time without milliseconds: UTCTime until 2049, then GeneralizedTime (RFC 5280, section 4.1.2.5; RFC 5652, section 11.3). */
export function encodeTime(date: Date): Buffer {
  const text = date.toISOString().replace(/\.\d+|[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? encoded(UTC_TIME, Buffer.from(text.slice(2)))
    : encoded(GENERALIZED_TIME, Buffer.from(text));
}
