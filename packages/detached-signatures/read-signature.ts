import { X509Certificate } from 'node:crypto';
import { encoded, toDer } from './der.ts';
import {
  type Element,
  elementAt,
  elementsIn,
  identifierText,
  listOf,
  OBJECT_IDENTIFIER,
  OCTET_STRING,
  requireAtMost,
  requireBounded,
  SEQUENCE,
  SET,
} from './elements.ts';

/** A parsed CMS signature (RFC 5652, section 5). */
export interface CmsSignature {
  /** Object identifier of the signed content's type. */
  contentType: string;
  /** Whether the signature is without the document. */
  isDetached: boolean;
  signers: CmsSigner[];
  /** All certificates in the signature: those of signers and those of authorities. */
  certificates: X509Certificate[];
}

export interface CmsSigner {
  /** Object identifier. */
  digestAlgorithm: string;
  /** Object identifier. */
  signatureAlgorithm: string;
  signature: Buffer;
  /** Absent if the document itself was signed. */
  attributes?: SignedAttributes;
  /** The signer's certificate, if the signature contains it. */
  certificate?: X509Certificate;
}

export interface SignedAttributes {
  /** Value of the attribute content-type: an object identifier. */
  contentType?: string;
  messageDigest?: Buffer;
  /**
   * The bytes that may have been signed: the sorted SET, as RFC 5652, section 5.4, asks, or the SET in the order it came
   * in, as OpenSSL accepts it.
   */
  signedForms: Buffer[];
}

/** A certificate, and the parts of it by which a signer may name it. */
interface NamedCertificate {
  certificate: X509Certificate;
  /** DER. */
  issuer: Buffer;
  serialNumber: Buffer;
  keyIdentifier: Buffer | undefined;
}

export const SIGNED_DATA = '1.2.840.113549.1.7.2';
export const CONTENT_TYPE = '1.2.840.113549.1.9.3';
export const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';

/** The elements of each structure: their tags in hexadecimal (RFC 5652, sections 3, 5 and 10; RFC 5280, section 4.1). */
const shapes = {
  contentInfo: /^06 a0$/,
  content: /^30$/,
  signedData: /^02 31 30( a0)?( a1)? 31$/,
  encapContentInfo: /^06( a0)?$/,
  signerInfo: /^02 (30|80) 30( a0)? 30 04( a1)?$/,
  issuerAndSerialNumber: /^30 02$/,
  algorithm: /^06( ..)?$/,
  attribute: /^06 31$/,
  certificate: /^30 30 03$/,
  tbsCertificate: /^(a0 )?02 30 30 30 30 30( 81)?( 82)?( a3)?$/,
  extensions: /^30$/,
  extension: /^06( 01)? 04$/,
};
const MOST_PARTS = 10;

const KEY_IDENTIFIER = 0x80;
export const TAGGED_0 = 0xa0;
const TAGGED_3 = 0xa3;

type Pair = [Element, Element];

/**
 * Parses CMS SignedData, DER or BER.
 * @throws Error whose message says why it cannot be parsed, and quotes none of the bytes.
 */
export function readCmsSignature(bytes: Uint8Array): CmsSignature {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  requireBounded(whole);
  const [type, content] = partsOf<Pair>(elementAt(whole), 'contentInfo');
  if (identifierText(type.content) !== SIGNED_DATA) throw new Error('it is CMS, but not SignedData');
  const parts = partsOf(partsOf(content, 'content')[0], 'signedData');
  const [contentType, document] = partsOf(parts[2] as Element, 'encapContentInfo');
  const certificates = readCertificates(parts.find(({ tag }) => tag === TAGGED_0));
  return {
    contentType: identifierText(contentType.content),
    isDetached: document === undefined,
    signers: listOf(parts.at(-1) as Element, 'signers').map((signer) => readSigner(signer, certificates)),
    certificates: certificates.map(({ certificate }) => certificate),
  };
}

/** The parts of a structure. Additional ones are refused, because the service would receive them with the signature. */
function partsOf<Parts extends Element[] = [Element, ...Element[]]>(
  { content }: Element,
  shape: keyof typeof shapes,
): Parts {
  const parts: Element[] = [];
  for (const part of elementsIn(content)) if (parts.push(part) > MOST_PARTS) break;
  const tags = parts.map(({ tag }) => tag.toString(16).padStart(2, '0'));
  if (shapes[shape].test(tags.join(' '))) return parts as Parts;
  throw new Error('it has elements that do not belong to SignedData');
}

function readCertificates(set: Element | undefined): NamedCertificate[] {
  // Certificates that are not X.509 have tags of their own (RFC 5652, section 10.2.2).
  const plain = set ? listOf(set, 'certificates').filter(({ tag }) => tag === SEQUENCE) : [];
  return plain.map(readCertificate);
}

/** @throws Error if it cannot be read, or is larger than a certificate in a signature may be. */
export function readCertificate(element: Element): NamedCertificate {
  requireAtMost('certificateBytes', element.bytes.length, 'bytes in a certificate');
  const parts = partsOf(partsOf(element, 'certificate')[0], 'tbsCertificate');
  const [serialNumber, , issuer] = (parts[0].tag === TAGGED_0 ? parts.slice(1) : parts) as [Element, Element, Element];
  return {
    certificate: certificateOf(element),
    issuer: issuer.bytes,
    serialNumber: serialNumber.content,
    keyIdentifier: readKeyIdentifier(parts.find(({ tag }) => tag === TAGGED_3)),
  };
}

/** Node looks for PEM text first, even inside DER, and would then read another certificate than the one that was checked here. */
function certificateOf({ bytes }: Element): X509Certificate {
  let certificate: X509Certificate | undefined;
  try {
    certificate = new X509Certificate(bytes);
  } catch {
    // Reported below.
  }
  if (certificate?.raw.equals(bytes)) return certificate;
  throw new Error('one of its certificates cannot be read');
}

/** The value of the extension subject key identifier (RFC 5280, section 4.2.1.2). */
function readKeyIdentifier(extensions: Element | undefined): Buffer | undefined {
  if (!extensions) return undefined;
  for (const extension of elementsIn(partsOf(extensions, 'extensions')[0].content)) {
    const parts = partsOf(extension, 'extension');
    if (identifierText(parts[0].content) !== SUBJECT_KEY_IDENTIFIER) continue;
    const value = (parts.at(-1) as Element).content;
    requireBounded(value);
    return elementAt(value).content;
  }
  return undefined;
}

function readSigner(element: Element, certificates: readonly NamedCertificate[]): CmsSigner {
  const parts = partsOf<[Element, Element, Element, ...Element[]]>(element, 'signerInfo');
  const [, name, digestAlgorithm, ...others] = parts;
  const attributes = others[0]?.tag === TAGGED_0 ? readAttributes(others.shift() as Element) : undefined;
  const [signatureAlgorithm, signature] = others as Pair;
  const certificate = certificates.find(isNamedBy(name))?.certificate;
  return {
    digestAlgorithm: identifierText(partsOf(digestAlgorithm, 'algorithm')[0].content),
    signatureAlgorithm: identifierText(partsOf(signatureAlgorithm, 'algorithm')[0].content),
    signature: signature.content,
    ...(attributes && { attributes }),
    ...(certificate && { certificate }),
  };
}

/** Finds the certificate that a signer names: by its key identifier, or by issuer and serial number. */
function isNamedBy(name: Element): (certificate: NamedCertificate) => boolean {
  if (name.tag === KEY_IDENTIFIER) return ({ keyIdentifier }) => keyIdentifier?.equals(name.content) ?? false;
  const [issuer, serial] = partsOf<Pair>(name, 'issuerAndSerialNumber');
  requireAtMost('certificateBytes', issuer.bytes.length, 'bytes in the name of an issuer');
  const der = toDer(issuer);
  return ({ serialNumber, issuer: own }) => serialNumber.equals(serial.content) && own.equals(der);
}

function readAttributes(set: Element): SignedAttributes {
  requireAtMost('attributesBytes', set.bytes.length, 'bytes in signed attributes');
  const elements = listOf(set, 'attributes');
  const attributes = elements.map((attribute) => partsOf<Pair>(attribute, 'attribute'));
  const value = (wanted: string, tag: number) => {
    const values = attributes.find(([type]) => identifierText(type.content) === wanted)?.[1].content;
    const first = values && values.length > 0 ? elementAt(values) : undefined;
    return first?.tag === tag ? first.content : undefined;
  };
  const [contentType, messageDigest] = [value(CONTENT_TYPE, OBJECT_IDENTIFIER), value(MESSAGE_DIGEST, OCTET_STRING)];
  const asSent = elements.map(toDer);
  return {
    ...(contentType && { contentType: identifierText(contentType) }),
    ...(messageDigest && { messageDigest }),
    signedForms: [asSent.toSorted(Buffer.compare), asSent].map((form) => encoded(SET, ...form)),
  };
}
