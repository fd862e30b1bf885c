import { type Element, elementAt, elementsIn, identifierText, type Pair, partsOf } from './elements.ts';

const [UTF8_STRING, UNIVERSAL_STRING, BMP_STRING] = [0x0c, 0x1c, 0x1e];
/** Also NumericString, PrintableString, TeletexString (read as Latin-1, as OpenSSL reads it), IA5String and VisibleString. */
const STRINGS = [UTF8_STRING, UNIVERSAL_STRING, BMP_STRING, 0x12, 0x13, 0x14, 0x16, 0x1a];

function textOf({ tag, content }: Element): string {
  if (tag === UTF8_STRING) return content.toString('utf8');
  if (tag === BMP_STRING)
    return Buffer.from(content.subarray(0, content.length & ~1))
      .swap16()
      .toString('utf16le');
  if (tag !== UNIVERSAL_STRING) return content.toString('latin1');
  const points = Array.from({ length: content.length >> 2 }, (_, at) => content.readUInt32BE(4 * at));
  return points.map((point) => String.fromCodePoint(Math.min(point, 0x10ffff))).join('');
}

const attributesIn = ({ content }: Element): Pair[] =>
  [...elementsIn(content)].map((attribute) => partsOf<Pair>(attribute, 'attributeOfName'));

/** The types and texts of the attributes of a Name. */
export const attributesOf = ({ content }: Element): [string, string][] =>
  [...elementsIn(content)].flatMap(attributesIn).map(([type, value]) => [identifierText(type.content), textOf(value)]);

const known = new WeakMap<Buffer, string[]>();

/** The relative names of a Name in DER, each as a text that is the same for equal ones (RFC 5280, section 7.1). */
export function relativeNames(name: Buffer): string[] {
  const texts = ({ tag, content }: Element) => [`${tag}`, ...[...elementsIn(content)].map(comparable).toSorted()];
  const found = known.get(name) ?? [...elementsIn(elementAt(name).content)].map((set) => texts(set).join('\n'));
  known.set(name, found);
  return found;
}

/** An attribute, without newlines, which separate attributes. */
function comparable(attribute: Element): string {
  const [type, value] = partsOf<Pair>(attribute, 'attributeOfName');
  const text = STRINGS.includes(value.tag) ? ` ${textOf(value)} ` : value.bytes.toString('hex');
  return `${attribute.tag} ${identifierText(type.content)}${text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ')}`;
}

/** Whether two Names in DER are equal, whatever their types of strings, case and spaces (RFC 5280, section 7.1). */
export function sameName(one: Buffer, other: Buffer): boolean {
  const [ones, others] = [relativeNames(one), relativeNames(other)];
  return ones.length === others.length && ones.every((text, at) => text === others[at]);
}
