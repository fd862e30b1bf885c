import { type Element, firstParts, SEQUENCE, tagsOf } from './elements.ts';
import { InvalidSignature, type LooksLike } from './reasons.ts';

/** Text can be encoded twice, for example as Base64 in PEM, and three times at most. */
const MOST_TIMES = 3;

/**
 * Decodes PEM, Base64, base64url or hexadecimal text, also in UTF-16: CryptoPro's cryptcp, certutil and browser plug-ins write it. Returns
 * DER and BER unchanged. Each form begins in its own way, so there is never more than one reading.
 * @throws InvalidSignature that says what the file looks like.
 */
export function toBinarySignature(bytes: Uint8Array): Uint8Array {
  let decoded: Uint8Array | undefined = bytes;
  for (let times = 0; decoded && decoded[0] !== SEQUENCE; times += 1)
    decoded = times < MOST_TIMES ? decodeText(textOf(decoded)) : undefined;
  if (decoded) return decoded;
  const what = looksLike(bytes);
  throw what
    ? new InvalidSignature('FORMAT_FAILURE.looksLike', { what })
    : new InvalidSignature('FORMAT_FAILURE.encoding');
}

/** Without a byte order mark, and without spaces and NULs at the ends. Latin-1, because each form consists of ASCII. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isBigEndian = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const isWide = isBigEndian || (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  // The other octet of each character is dropped. Text that needs it is none of the forms.
  const octets = Buffer.from(isWide ? bytes.filter((_, at) => at % 2 === Number(isBigEndian)) : bytes);
  const start = isWide ? [0xff, 0xfe].includes(octets[0] ?? 0) : octets.subarray(0, 3).equals(UTF8_MARK) && 3;
  const text = octets.subarray(Number(start)).toString('latin1');
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) <= SPACE) end -= 1;
  return text.slice(0, end).trimStart();
}

const UTF8_MARK = Buffer.of(0xef, 0xbb, 0xbf);
const SPACE = 0x20;
const [BEGIN, END] = ['-----BEGIN ', '-----END '];
const HEXADECIMAL = /^(?:[0-9a-f]{2})+$/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

function decodeText(text: string): Buffer | undefined {
  const encoded = pemContent(text).replace(/[\s:]+/g, '');
  if (HEXADECIMAL.test(encoded)) return Buffer.from(encoded, 'hex');
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : undefined;
}

/** The content of the PEM block in a text, whatever is around it. Its label says little: certutil writes CERTIFICATE for any file. */
function pemContent(text: string): string {
  const begin = text.indexOf(BEGIN);
  if (begin < 0) return text;
  const end = text.indexOf(END, begin);
  const start = text.indexOf('-----', begin + BEGIN.length) + 5;
  if (text.slice(begin, start).includes('PRIVATE KEY'))
    throw new InvalidSignature('FORMAT_FAILURE.looksLike', { what: 'a private key' });
  if (end < start) throw new InvalidSignature('FORMAT_FAILURE.damaged');
  if (text.includes(BEGIN, start)) throw new InvalidSignature('FORMAT_FAILURE.blocks');
  return text.slice(start, end);
}

/** How many characters say what a file looks like. */
const BEGINNING = 4096;

/** The first that matches. */
const LOOKS: [LooksLike, RegExp][] = [
  ['an ASiC container', /^PK.*(?:application\/vnd\.etsi\.asic|META-INF\/)/s],
  ['a ZIP archive', /^PK/],
  ['a PDF document', /%PDF-/],
  ['a web page', /^<(?:!doctype )?html/i],
  ['an XML signature', /^<.*http:\/\/www\.w3\.org\/2000\/09\/xmldsig#/s],
  ['an XML document', /^<[?\w]/],
  ['a mail message', /^(?:mime-version|content-type):/i],
  ['JSON', /^[{[]/],
  // No control characters but white space.
  ['text that is not PEM, Base64 or hexadecimal', /^[\t-\r -\xff]+$/],
];

function looksLike(bytes: Uint8Array): LooksLike | undefined {
  const beginning = textOf(bytes.subarray(0, BEGINNING));
  return LOOKS.find(([, pattern]) => pattern.test(beginning))?.[0];
}

/** By the tags of the elements, then of those in the first one. */
const STRUCTURES: [LooksLike, RegExp][] = [
  ['a certificate request', /^30 30 03 : 02 30 30( a0)?$/],
  ['a revocation list', /^30 30 03 : (02 )?30 30 1[78]/],
  ['a certificate', /^30 30 03 : /],
  ['a private key', /^(02 30 04|30 04 |02 04 a0|02( 02){8} )/],
  ['a key store', /^02 30 /],
];

/** What DER looks like that is no CMS. */
export function structureOf({ content }: Element): LooksLike | undefined {
  const parts = firstParts(content);
  const [first] = parts;
  const found = `${tagsOf(parts)} : ${tagsOf(first?.tag === SEQUENCE ? firstParts(first.content) : [])}`;
  return STRUCTURES.find(([, pattern]) => pattern.test(found))?.[0];
}
