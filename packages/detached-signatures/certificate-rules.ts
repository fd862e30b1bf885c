import { type CertificateParts, extensionParts, KNOWN_EXTENSIONS, publicKeyOf } from './certificate-parts.ts';
import { type Element, elementAt, elementsIn, INTEGER, identifierText } from './elements.ts';
import { attributesOf, relativeNames } from './names.ts';
import { InvalidSignature } from './reasons.ts';

const [ALTERNATIVE_NAME, BASIC_CONSTRAINTS, PURPOSES] = ['2.5.29.17', '2.5.29.19', '2.5.29.37'];
/** serverAuth, timeStamping and OCSPSigning (RFC 5280, section 4.2.1.12). */
const OF_SERVERS = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.8', '1.3.6.1.5.5.7.3.9'];
/** OpenSSL verifies with no longer modulus. */
const RSA_BITS = { least: 2048, most: 16_384 };
const CURVES = /^(prime256v1|secp(256k1|384r1|521r1)|brainpoolP(256|320|384|512)[rt]1)$/;

/** @param why what of the certificate does not allow its use, in the words of RFC 5280. */
export const unfit = (
  { certificate: { fingerprint256: certificate } }: CertificateParts,
  why: string,
): InvalidSignature => new InvalidSignature('CHAIN_CONSTRAINTS_FAILURE.certificate', { certificate, why });

/** Why a certificate cannot be used, whatever it is for. A key that Node does not support verifies nothing. */
export function unfitForAll(parts: CertificateParts): InvalidSignature | undefined {
  const unknown = [...parts.extensions.keys()].find((one) => !KNOWN_EXTENSIONS.has(one));
  if (unknown !== undefined) return unfit(parts, `critical extension ${unknown}`);
  const { asymmetricKeyType: type, asymmetricKeyDetails = {} } = publicKeyOf(parts.certificate) ?? {};
  const { modulusLength: bits, publicExponent = 3n, namedCurve = '' } = asymmetricKeyDetails;
  if (type === 'ec' && !CURVES.test(namedCurve)) return unfit(parts, `subjectPublicKey on ${namedCurve}`);
  const isFit = bits === undefined || (bits >= RSA_BITS.least && bits <= RSA_BITS.most && publicExponent > 2n);
  return isFit ? undefined : unfit(parts, `subjectPublicKey of ${bits} bits or its exponent`);
}

/** Why it is not the certificate of somebody who signs documents. */
export function unfitSigner(parts: CertificateParts): InvalidSignature | undefined {
  const purposes = purposesOf(parts);
  const isServer = purposes.length > 0 && purposes.every((one) => OF_SERVERS.includes(one));
  return isServer ? unfit(parts, `extKeyUsage ${purposes.join(', ')}`) : unfitForAll(parts);
}

export const purposesOf = (parts: CertificateParts): string[] =>
  extensionParts(parts, PURPOSES).map(({ content }) => identifierText(content));

/** How many authorities may stand below this one. */
export function pathLength(parts: CertificateParts): number {
  const length = extensionParts(parts, BASIC_CONSTRAINTS).find(({ tag }) => tag === INTEGER);
  return length ? Number(`0x${length.content.toString('hex')}`) : Infinity;
}

type Name = Pick<Element, 'tag' | 'content'>;

const [EMAIL, DNS, DIRECTORY] = [0x81, 0x82, 0xa4];
const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';
const [PERMITTED, EXCLUDED] = [0xa0, 0xa1];

/** Whether the lists of name constraints allow all names of a certificate (RFC 5280, section 4.2.1.10). */
export function allowsNames(lists: readonly Element[], parts: CertificateParts): boolean {
  const addresses = attributesOf(parts.subject).filter(([type]) => type === EMAIL_ADDRESS);
  const names: Name[] = [
    { tag: DIRECTORY, content: parts.subject.bytes },
    ...addresses.map(([, text]) => ({ tag: EMAIL, content: Buffer.from(text) })),
    ...extensionParts(parts, ALTERNATIVE_NAME),
  ];
  const bases = lists.flatMap((list) =>
    [...elementsIn(list.content)].map(({ content }) => ({ list, base: elementAt(content) })),
  );
  return names.every((name) => {
    const found = bases.filter(({ base }) => base.tag === name.tag);
    const within = (tag: number) =>
      found.filter(({ list }) => list.tag === tag).map(({ base }) => isWithin(name, base));
    const permitted = within(PERMITTED);
    return (permitted.length === 0 || permitted.includes(true)) && within(EXCLUDED).every((is) => is === false);
  });
}

/** Undefined for a form of names that is not processed here. */
function isWithin({ tag, content }: Name, base: Name): boolean | undefined {
  if (tag === DIRECTORY) return relativeNames(base.content).every((one, at) => one === relativeNames(content)[at]);
  if (tag !== EMAIL && tag !== DNS) return undefined;
  const lower = (bytes: Buffer) => bytes.toString().toLowerCase().replace(/\.$/, '');
  const [text, suffix] = [lower(content), lower(base.content)];
  const host = text.slice(text.lastIndexOf('@') + 1);
  if ([text, host, ''].includes(suffix)) return true;
  return suffix.startsWith('.') ? host.endsWith(suffix) : tag === DNS && host.endsWith(`.${suffix}`);
}
