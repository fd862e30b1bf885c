import { createHash, type X509Certificate } from 'node:crypto';
import { algorithmOf, type CertificateParts, readCertificate } from './certificate-parts.ts';
import { encoded, toDer } from './der.ts';
import {
  type Element,
  elementAt,
  elementsIn,
  INTEGER,
  identifierText,
  listOf,
  OBJECT_IDENTIFIER,
  OCTET_STRING,
  type Pair,
  partsOf,
  requireAtMost,
  requireBounded,
  SEQUENCE,
  SET,
  TAGGED_0,
} from './elements.ts';
import { sameName } from './names.ts';
import { InvalidSignature } from './reasons.ts';
import { readSignatureAlgorithm, type SignatureAlgorithm } from './signature-algorithms.ts';

export { toBinarySignature } from './text-forms.ts';

/** A parsed CMS signature (RFC 5652, section 5). */
export interface CmsSignature {
  /** Without the newlines and zeros that followed its end. */
  bytes: Buffer;
  /** Object identifier of the signed content's type. */
  contentType: string;
  isDetached: boolean;
  /** The signed content, if the signature contains it as one octet string. */
  content?: Buffer;
  signers: CmsSigner[];
  /** All certificates in the signature, of signers and of authorities. */
  certificates: X509Certificate[];
}

export interface CmsSigner {
  /** Object identifier. */
  digestAlgorithm: string;
  /** Object identifier. */
  signatureAlgorithm: string;
  /** Undefined if it cannot be verified. */
  algorithm: SignatureAlgorithm | undefined;
  signature: Buffer;
  /** Absent if the document itself was signed. */
  attributes?: SignedAttributes;
  /** A time stamp of the signature, in CMS (RFC 3161, appendix A). */
  timeStamp?: Buffer;
  certificate?: X509Certificate;
}

export interface SignedAttributes {
  /** Value of the attribute content-type: an object identifier. */
  contentType?: string;
  messageDigest?: Buffer;
  /** ESS signing-certificate attributes (RFC 5035, section 2), by the digest algorithm that they have by default. */
  signingCertificates: { sha1?: Element; sha256?: Element };
  /**
   * The bytes that may have been signed: the sorted SET, as RFC 5652, section 5.4, requires, or the SET in the order
   * received, which OpenSSL accepts.
   */
  signedForms: Buffer[];
}

export const SIGNED_DATA = '1.2.840.113549.1.7.2';
export const DATA = '1.2.840.113549.1.7.1';
export const CONTENT_TYPE = '1.2.840.113549.1.9.3';
export const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const ESS = { sha1: '1.2.840.113549.1.9.16.2.12', sha256: '1.2.840.113549.1.9.16.2.47' };
const TIME_STAMP = '1.2.840.113549.1.9.16.2.14';

const KEY_IDENTIFIER = 0x80;
/** What begins with another tag than CMS: certificates, requests and lists; private keys and key stores. */
const OTHERS: Record<number, string> = { [SEQUENCE]: 'X.509', [INTEGER]: 'PKCS #8 or #12' };
/** What programs write after the end of a signature: zeros, LF and CR. OpenSSL ignores them, too. */
const PADDING = [0x00, 0x0a, 0x0d];

/**
 * Parses CMS SignedData, DER or BER.
 * @throws InvalidSignature if it cannot be parsed. It quotes none of the bytes.
 */
export function readCmsSignature(bytes: Uint8Array): CmsSignature {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (whole[0] !== SEQUENCE) throw new InvalidSignature('FORMAT_FAILURE.encoding');
  requireBounded(whole, PADDING);
  const info = elementAt(whole);
  const what = OTHERS[info.content[0] ?? 0];
  if (what) throw new InvalidSignature('FORMAT_FAILURE.looksLike', { what });
  const [type, content] = partsOf<Pair>(info, 'contentInfo');
  if (identifierText(type.content) !== SIGNED_DATA) throw new InvalidSignature('FORMAT_FAILURE.type');
  const parts = partsOf(partsOf(content, 'content')[0], 'signedData');
  const [contentType, document] = partsOf(parts[2] as Element, 'encapContentInfo');
  const octets = document && document.content.length > 0 ? elementAt(document.content) : undefined;
  const certificates = readCertificates(parts.find(({ tag }) => tag === TAGGED_0));
  const signers = listOf(parts.at(-1) as Element, 'signers').map((signer) => readSigner(signer, certificates));
  // OpenSSL refuses a signer whose digest is not announced, too.
  const digests = listOf(parts[1] as Element, 'attributes').map(algorithmOf);
  if (signers.some(({ digestAlgorithm }) => !digests.includes(digestAlgorithm)))
    throw new InvalidSignature('FORMAT_FAILURE.elements');
  return {
    bytes: info.bytes,
    contentType: identifierText(contentType.content),
    isDetached: document === undefined || octets?.content.length === 0,
    ...(octets?.tag === OCTET_STRING && { content: octets.content }),
    signers,
    certificates: certificates.map(({ certificate }) => certificate),
  };
}

function readCertificates(set: Element | undefined): CertificateParts[] {
  // Certificates that are not X.509 have tags of their own (RFC 5652, section 10.2.2).
  const plain = set ? listOf(set, 'certificates').filter(({ tag }) => tag === SEQUENCE) : [];
  return plain.map(readCertificate);
}

function readSigner(element: Element, certificates: readonly CertificateParts[]): CmsSigner {
  const parts = partsOf<[Element, Element, Element, ...Element[]]>(element, 'signerInfo');
  const [, name, digestAlgorithm, ...others] = parts;
  const attributes = others[0]?.tag === TAGGED_0 ? readAttributes(others.shift() as Element) : undefined;
  const [signatureAlgorithm, signature, unsigned] = others as [Element, Element, Element?];
  const [timeStamp] = unsigned ? valuesOf(attributesIn(unsigned), TIME_STAMP) : [];
  const certificate = certificates.find(isNamedBy(name))?.certificate;
  return {
    digestAlgorithm: algorithmOf(digestAlgorithm),
    signatureAlgorithm: algorithmOf(signatureAlgorithm),
    algorithm: readSignatureAlgorithm(signatureAlgorithm),
    signature: signature.content,
    ...(attributes && { attributes }),
    ...(timeStamp && { timeStamp: timeStamp.bytes }),
    ...(certificate && { certificate }),
  };
}

/** Matches the certificate that a signer names by key identifier, or by issuer and serial number. */
function isNamedBy(name: Element): (certificate: CertificateParts) => boolean {
  if (name.tag === KEY_IDENTIFIER) return (parts) => (parts.keyIdentifier ?? keyDigest(parts)).equals(name.content);
  const [issuer, serial] = partsOf<Pair>(name, 'issuerAndSerialNumber');
  requireAtMost('certificateBytes', issuer.bytes.length, 'bytes in the name of an issuer');
  const der = toDer(issuer);
  return ({ serialNumber, issuer: own }) => serialNumber.equals(serial.content) && sameName(own, der);
}

/** The identifier that a key has without an extension: the SHA-1 digest of its bits (RFC 5280, section 4.2.1.2). */
function keyDigest({ key }: CertificateParts): Buffer {
  const [, bits] = partsOf<Pair>(key, 'publicKey');
  return createHash('sha1').update(bits.content.subarray(1)).digest();
}

function readAttributes(set: Element): SignedAttributes {
  requireAtMost('attributesBytes', set.bytes.length, 'bytes in signed attributes');
  const attributes = attributesIn(set);
  const [contentType, messageDigest] = [onlyValue(attributes, CONTENT_TYPE), onlyValue(attributes, MESSAGE_DIGEST)];
  const [bySha1, bySha256] = [onlyValue(attributes, ESS.sha1), onlyValue(attributes, ESS.sha256)];
  const asSent = [...elementsIn(set.content)].map(toDer);
  const [sorted, sent] = [encoded(SET, ...asSent.toSorted(Buffer.compare)), encoded(SET, ...asSent)];
  return {
    ...(contentType?.tag === OBJECT_IDENTIFIER && { contentType: identifierText(contentType.content) }),
    ...(messageDigest?.tag === OCTET_STRING && { messageDigest: messageDigest.content }),
    signingCertificates: { ...(bySha1 && { sha1: bySha1 }), ...(bySha256 && { sha256: bySha256 }) },
    signedForms: sorted.equals(sent) ? [sent] : [sorted, sent],
  };
}

const attributesIn = (set: Element) =>
  listOf(set, 'attributes').map((attribute) => partsOf<Pair>(attribute, 'attribute'));

function* valuesOf(attributes: readonly Pair[], wanted: string): Generator<Element> {
  for (const [type, { content }] of attributes) if (identifierText(type.content) === wanted) yield* elementsIn(content);
}

/** Attributes have one value (RFC 5652, section 11). With two, another parser could use the other one. */
function onlyValue(attributes: readonly Pair[], wanted: string): Element | undefined {
  const [value, other] = valuesOf(attributes, wanted);
  if (other) throw new InvalidSignature('FORMAT_FAILURE.attributeTwice');
  return value;
}
