import { type Element, elementAt, elementsIn, OBJECT_IDENTIFIER } from './elements.ts';

const [UTF8_STRING, UNIVERSAL_STRING, BMP_STRING] = [0x0c, 0x1c, 0x1e];
/** NumericString, PrintableString, TeletexString (read as Latin-1, as OpenSSL reads it), IA5String and VisibleString. */
const LATIN_STRINGS = [0x12, 0x13, 0x14, 0x16, 0x1a];

/** The text of a string, whose tag names its alphabet. Unknown types are read as Latin-1. */
export function textOf({ tag, content }: Element): string {
  if (tag === UTF8_STRING) return content.toString('utf8');
  if (tag !== BMP_STRING && tag !== UNIVERSAL_STRING) return content.toString('latin1');
  const width = tag === BMP_STRING ? 2 : 4;
  const whole = Buffer.from(content.subarray(0, content.length - (content.length % width)));
  if (tag === BMP_STRING) return whole.swap16().toString('utf16le');
  const points = Array.from({ length: whole.length / width }, (_, at) => whole.readUInt32BE(width * at));
  return points.map((point) => String.fromCodePoint(point > 0x10ffff ? 0xfffd : point)).join('');
}

const known = new WeakMap<Buffer, string[]>();

/** The relative distinguished names of a Name in DER, each as text that is the same for equal ones (RFC 5280, section 7.1). */
export function relativeNames(name: Buffer): string[] {
  const found = known.get(name) ?? [...elementsIn(elementAt(name).content)].map(relativeName);
  known.set(name, found);
  return found;
}

/** Whether two Names in DER are equal, whatever their types of strings, case and spaces (RFC 5280, section 7.1). */
export function sameName(one: Buffer, other: Buffer): boolean {
  if (one.equals(other)) return true;
  const [ones, others] = [one, other].map(relativeNames) as [string[], string[]];
  return ones.length === others.length && ones.every((text, at) => text === others[at]);
}

function relativeName({ content }: Element): string {
  return JSON.stringify([...elementsIn(content)].map(attributeText).toSorted());
}

function attributeText(attribute: Element): string {
  const [type, value] = elementsIn(attribute.content);
  if (type?.tag !== OBJECT_IDENTIFIER || !value) return attribute.bytes.toString('hex');
  return `${type.content.toString('hex')}=${comparable(value)}`;
}

function comparable(value: Element): string {
  if (![UTF8_STRING, UNIVERSAL_STRING, BMP_STRING, ...LATIN_STRINGS].includes(value.tag))
    return value.bytes.toString('hex');
  return ` ${textOf(value).normalize('NFKC').toLowerCase().split(/\s+/).filter(Boolean).join(' ')}`;
}
