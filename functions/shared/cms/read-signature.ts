import { X509Certificate } from 'node:crypto';
import {
  type Attribute,
  ContentInfo,
  id_contentType,
  id_messageDigest,
  id_signedData,
  SignedData,
  type SignerInfo,
} from '@peculiar/asn1-cms';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { Certificate, id_ce_subjectKeyIdentifier, SubjectKeyIdentifier } from '@peculiar/asn1-x509';
import { type BaseBlock, Constructed, fromBER, ObjectIdentifier } from 'asn1js';
import { attributeSet } from './create-signature.ts';

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

/**
 * Parses CMS SignedData, DER or BER.
 * @throws Error whose message says why it cannot be parsed, and quotes none of the bytes.
 */
export function readCmsSignature(bytes: Uint8Array): CmsSignature {
  refuseTrailingBytes(bytes);
  const info = AsnConvert.parse(bytes, ContentInfo);
  if (info.contentType !== id_signedData) throw new Error('it is CMS, but not SignedData');
  refuseExtraElements(bytes);
  const signedData = AsnConvert.parse(info.content, SignedData);
  const certificates = rawCertificates(info.content).map((raw) => new X509Certificate(raw));
  return {
    contentType: signedData.encapContentInfo.eContentType,
    isDetached: signedData.encapContentInfo.eContent === undefined,
    signers: signedData.signerInfos.map((signer) => readSigner(signer, certificates)),
    certificates,
  };
}

/** The parser ignores bytes after the end. We refuse them, since the service would receive them with the signature. */
function refuseTrailingBytes(bytes: Uint8Array): void {
  const { offset } = fromBER(bytes);
  const extra = bytes.length - offset;
  if (offset === -1 || extra === 0) return;
  throw new Error(extra === 1 ? '1 byte follows its end' : `${extra} bytes follow its end`);
}

/**
 * Classes and tags of the elements of SignedData (RFC 5652, section 5.1): version, digest algorithms, content, optional
 * certificates, optional revocation lists, signers.
 */
const SIGNED_DATA = /^1\.2 1\.17 1\.16( 3\.0)?( 3\.1)? 1\.17$/;

/** The parser ignores additional elements, too. We refuse them. */
function refuseExtraElements(bytes: Uint8Array): void {
  const info = elementsOf(fromBER(bytes).result);
  const content = elementsOf(info[1]);
  const tags = elementsOf(content[0]).map(({ idBlock }) => `${idBlock.tagClass}.${idBlock.tagNumber}`);
  if (info.length === 2 && content.length === 1 && SIGNED_DATA.test(tags.join(' '))) return;
  throw new Error('it has elements that do not belong to SignedData');
}

function elementsOf(element: BaseBlock | undefined): BaseBlock[] {
  return element instanceof Constructed ? element.valueBlock.value : [];
}

function readSigner(signer: SignerInfo, certificates: X509Certificate[]): CmsSigner {
  const certificate = certificates.find((candidate) => isCertificateOf(candidate, signer));
  return {
    digestAlgorithm: signer.digestAlgorithm.algorithm,
    signatureAlgorithm: signer.signatureAlgorithm.algorithm,
    signature: Buffer.from(signer.signature.buffer),
    ...(signer.signedAttrs && { attributes: readAttributes(signer.signedAttrs) }),
    ...(certificate && { certificate }),
  };
}

function readAttributes(attributes: readonly Attribute[]): SignedAttributes {
  const value = (type: string) => attributes.find(({ attrType }) => attrType === type)?.attrValues[0];
  const [contentType, messageDigest] = [value(id_contentType), value(id_messageDigest)];
  const identifier = contentType && fromBER(contentType).result;
  const encoding = (attribute: Attribute) => Buffer.from(AsnConvert.serialize(attribute));
  const sorted = attributes.toSorted((left, right) => Buffer.compare(encoding(left), encoding(right)));
  return {
    ...(identifier instanceof ObjectIdentifier && { contentType: identifier.valueBlock.toString() }),
    ...(messageDigest && { messageDigest: Buffer.from(AsnConvert.parse(messageDigest, OctetString).buffer) }),
    signedForms: [sorted, attributes].map((form) => Buffer.from(attributeSet(form))),
  };
}

/** The original bytes of each X.509 certificate. Encoding a certificate again would change one that is not strictly DER. */
function rawCertificates(signedData: ArrayBuffer): Buffer[] {
  const { result } = fromBER(signedData);
  const set = elementsOf(result).find(({ idBlock }) => idBlock.tagClass === 3 && idBlock.tagNumber === 0);
  // Certificates that are not X.509 have tags of their own (RFC 5652, section 10.2.2).
  const plain = elementsOf(set).filter(({ idBlock }) => idBlock.tagClass === 1);
  return plain.map(({ valueBeforeDecodeView }) => Buffer.from(valueBeforeDecodeView));
}

function isCertificateOf({ raw }: X509Certificate, { sid }: SignerInfo): boolean {
  const { tbsCertificate } = AsnConvert.parse(raw, Certificate);
  if (sid.issuerAndSerialNumber) {
    const { issuer, serialNumber } = sid.issuerAndSerialNumber;
    const sameIssuer = same(AsnConvert.serialize(issuer), AsnConvert.serialize(tbsCertificate.issuer));
    return sameIssuer && same(serialNumber, tbsCertificate.serialNumber);
  }
  const extension = tbsCertificate.extensions?.find(({ extnID }) => extnID === id_ce_subjectKeyIdentifier);
  if (!extension || !sid.subjectKeyIdentifier) return false;
  const own = AsnConvert.parse(extension.extnValue.buffer, SubjectKeyIdentifier);
  return same(own.buffer, sid.subjectKeyIdentifier.buffer);
}

function same(left: ArrayBuffer, right: ArrayBuffer): boolean {
  return Buffer.from(left).equals(Buffer.from(right));
}
