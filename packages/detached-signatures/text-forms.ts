import { SEQUENCE } from './elements.ts';
import { InvalidSignature } from './reasons.ts';

/** Text can be encoded twice, for example as Base64 in PEM, and three times at most. */
const MOST_TIMES = 3;

/**
 * Decodes PEM, Base64, base64url or hexadecimal text, also in UTF-16: CryptoPro's cryptcp, certutil and browser plug-ins write it. Returns
 * DER and BER unchanged. Each form begins in its own way, so there is never more than one reading.
 * @throws InvalidSignature that says what the file looks like.
 */
export function toBinarySignature(bytes: Uint8Array): Uint8Array {
  let decoded: Uint8Array | undefined = bytes;
  for (let times = 0; decoded && !isDer(decoded); times += 1)
    decoded = times < MOST_TIMES ? decodeText(textOf(decoded)) : undefined;
  if (decoded) return decoded;
  const beginning = textOf(bytes.subarray(0, 4096));
  const [what] = FORMATS.find(([, pattern]) => pattern.test(beginning)) ?? [];
  if (what) throw new InvalidSignature('FORMAT_FAILURE.looksLike', { what });
  throw new InvalidSignature('FORMAT_FAILURE.encoding');
}

const isDer = (all: Uint8Array) => all[0] === SEQUENCE && (Number(all[1]) > 0x7f || all[1] === all.length - 2);

/** Without a byte order mark. The forms are ASCII, so NULs are only the other halves of UTF-16, or padding. */
const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trim();

const HEXADECIMAL = /^(?:[0-9a-f]{2})+$/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

function decodeText(text: string): Buffer | undefined {
  const encoded = pemContent(text).replace(/^0x|[\s:]+/g, '');
  if (HEXADECIMAL.test(encoded)) return Buffer.from(encoded, 'hex');
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : undefined;
}

/** The content of the PEM block in a text, whatever is around it. Its label says little: certutil writes CERTIFICATE for any file. */
function pemContent(text: string): string {
  const [before = '', block, another] = text.split('-----BEGIN ', 3);
  if (block === undefined) return before;
  if (another !== undefined) throw new InvalidSignature('FORMAT_FAILURE.blocks');
  const [label, content, end] = block.split('-----', 3);
  if (!end?.startsWith('END ')) throw new InvalidSignature('FORMAT_FAILURE.damaged');
  if (label?.endsWith('PRIVATE KEY')) throw new InvalidSignature('FORMAT_FAILURE.looksLike', { what: 'PKCS #8' });
  return content ?? '';
}

/** What people take for a signature, by the beginning of the file. The first that matches counts. */
const FORMATS: [string, RegExp][] = [
  ['ZIP', /^PK/],
  ['PDF', /%PDF-/],
  ['HTML', /^<(?:!doctype )?html/i],
  ['XML', /^<[?\w]/],
  ['MIME', /^(?:mime-version|content-type):/i],
  ['JSON', /^[{[]/],
  // No control characters but white space.
  ['TXT', /^[\t-\r -\xff]+$/],
];
