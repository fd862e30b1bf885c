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

/** A CMS signature taken apart (RFC 5652, section 5). */
export interface CmsSignature {
  /** Object identifier of what is signed. */
  contentType: string;
  /** Whether the document is not inside. */
  isDetached: boolean;
  signers: CmsSigner[];
  /** Those that came along, of signers and of authorities. */
  certificates: X509Certificate[];
}

export interface CmsSigner {
  /** Object identifiers. */
  digestAlgorithm: string;
  signatureAlgorithm: string;
  signature: Buffer;
  /** Absent where the signature is made over the document itself. */
  attributes?: SignedAttributes;
  /** The signer's own among the certificates that came along. */
  certificate?: X509Certificate;
}

export interface SignedAttributes {
  /** Object identifier of the attribute content-type. */
  contentType?: string;
  messageDigest?: Buffer;
  /**
   * What may have been signed: the DER of the SET, which is sorted (RFC 5652, section 5.4), or the SET in the order it came in, as
   * OpenSSL takes it.
   */
  signedForms: Buffer[];
}

/**
 * Reads CMS SignedData, DER or BER.
 * @throws Error that says, without any of the bytes, why it can't be read.
 */
export function readCmsSignature(bytes: Uint8Array): CmsSignature {
  requireNothingBehind(bytes);
  const info = AsnConvert.parse(bytes, ContentInfo);
  if (info.contentType !== id_signedData) throw new Error('it is CMS, but no SignedData');
  requireNothingElse(bytes);
  const signedData = AsnConvert.parse(info.content, SignedData);
  const certificates = rawCertificates(info.content).map((raw) => new X509Certificate(raw));
  return {
    contentType: signedData.encapContentInfo.eContentType,
    isDetached: signedData.encapContentInfo.eContent === undefined,
    signers: signedData.signerInfos.map((signer) => readSigner(signer, certificates)),
    certificates,
  };
}

/** Parsers pass over what stands behind the end; the service would get it with the signature. */
function requireNothingBehind(bytes: Uint8Array): void {
  const { offset } = fromBER(bytes);
  const behind = bytes.length - offset;
  if (offset === -1 || behind === 0) return;
  throw new Error(behind === 1 ? '1 byte follows its end' : `${behind} bytes follow its end`);
}

/** Version, digests and content; certificates and revocations where there are any; signers (RFC 5652, section 5.1): classes and tags. */
const SIGNED_DATA = /^1\.2 1\.17 1\.16( 3\.0)?( 3\.1)? 1\.17$/;

/** They pass over further elements, too. */
function requireNothingElse(bytes: Uint8Array): void {
  const info = elementsOf(fromBER(bytes).result);
  const content = elementsOf(info[1]);
  const tags = elementsOf(content[0]).map(({ idBlock }) => `${idBlock.tagClass}.${idBlock.tagNumber}`);
  if (info.length === 2 && content.length === 1 && SIGNED_DATA.test(tags.join(' '))) return;
  throw new Error('it has elements that are no part of SignedData');
}

function elementsOf(element: BaseBlock | undefined): BaseBlock[] {
  return element instanceof Constructed ? element.valueBlock.value : [];
}

function readSigner(signer: SignerInfo, certificates: X509Certificate[]): CmsSigner {
  const certificate = certificates.find((candidate) => isNamed(candidate, signer));
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

/** The bytes of each X.509 certificate as they came: encoded anew, one that is not strictly DER would be another one. */
function rawCertificates(signedData: ArrayBuffer): Buffer[] {
  const { result } = fromBER(signedData);
  const set = elementsOf(result).find(({ idBlock }) => idBlock.tagClass === 3 && idBlock.tagNumber === 0);
  // Other choices than X.509 (RFC 5652, section 10.2.2) travel under a tag of their own.
  const plain = elementsOf(set).filter(({ idBlock }) => idBlock.tagClass === 1);
  return plain.map(({ valueBeforeDecodeView }) => Buffer.from(valueBeforeDecodeView));
}

function isNamed({ raw }: X509Certificate, { sid }: SignerInfo): boolean {
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
