import { SEQUENCE } from './elements.ts';
import { InvalidSignature } from './reasons.ts';

/** Text can be encoded twice, for example as Base64 in PEM, and three times at most. */
const MOST_TIMES = 3;

/**
 * Decodes PEM, Base64, base64url or hexadecimal text, also in UTF-16: CryptoPro's cryptcp, certutil and browser plug-ins write it. Returns
 * DER and BER unchanged. Each form begins in its own way, so there is never more than one reading.
 * @throws InvalidSignature if it is none of them.
 */
export function toBinarySignature(bytes: Uint8Array): Uint8Array {
  let decoded: Uint8Array | undefined = bytes;
  for (let times = 0; decoded && decoded[0] !== SEQUENCE; times += 1)
    decoded = times < MOST_TIMES ? decodeText(textOf(decoded)) : undefined;
  if (decoded) return decoded;
  throw new InvalidSignature('FORMAT_FAILURE.encoding');
}

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
  const encoded = pemContent(text).replace(/[\s:]+/g, '');
  if (HEXADECIMAL.test(encoded)) return Buffer.from(encoded, 'hex');
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : undefined;
}

/** The content of the PEM block in a text, whatever is around it. Its label says little: certutil writes CERTIFICATE for any file. */
function pemContent(text: string): string {
  const [before = '', block, another] = text.split('-----BEGIN ', 3);
  if (block === undefined) return before;
  if (another !== undefined) throw new InvalidSignature('FORMAT_FAILURE.blocks');
  const [, content, end] = block.split('-----', 3);
  if (!end?.startsWith('END ')) throw new InvalidSignature('FORMAT_FAILURE.damaged');
  return content ?? '';
}
