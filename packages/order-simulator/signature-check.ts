import { createHash, verify, X509Certificate } from 'node:crypto';
import { certificateParts } from '@business-loan-orders/detached-signatures/certificate-parts';
import { isGostSignature, readGostKey } from '@business-loan-orders/detached-signatures/gost-signature';
import { type GostDigest, gostDigests } from '@business-loan-orders/detached-signatures/signature-algorithms';
import { Streebog } from '@business-loan-orders/detached-signatures/streebog';
import {
  Attribute,
  ContentInfo,
  id_contentType,
  id_messageDigest,
  id_signedData,
  SignedData,
  type SignerInfo,
} from '@peculiar/asn1-cms';
import {
  AsnArray,
  AsnConvert,
  AsnObjectIdentifierConverter,
  AsnType,
  AsnTypeTypes,
  OctetString,
} from '@peculiar/asn1-schema';
import { type Certificate, id_ce_subjectKeyIdentifier, SubjectKeyIdentifier } from '@peculiar/asn1-x509';
import { ServiceError } from './errors.ts';

/**
 * The result of a check: `cms-valid` is CMS SignedData that is valid for the document. `opaque` is another format, or CMS with an
 * algorithm that cannot be checked here; `note` names the algorithm.
 */
export interface CheckedSignature {
  kind: 'cms-valid' | 'opaque';
  note?: string;
}

const digests: Record<string, string> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
  '1.2.643.7.1.1.2.2': 'streebog256',
  '1.2.643.7.1.1.2.3': 'streebog512',
};

/** The signature algorithms. One without a digest uses the signer's `digestAlgorithm`. */
const signatureAlgorithms: Record<string, { keyType: string; digest?: string }> = {
  '1.2.840.113549.1.1.1': { keyType: 'rsa' },
  '1.2.840.113549.1.1.11': { keyType: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { keyType: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { keyType: 'rsa', digest: 'sha512' },
  '1.2.840.10045.2.1': { keyType: 'ec' },
  '1.2.840.10045.4.3.2': { keyType: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { keyType: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { keyType: 'ec', digest: 'sha512' },
  '1.2.643.7.1.1.1.1': { keyType: 'gost', digest: 'streebog256' },
  '1.2.643.7.1.1.1.2': { keyType: 'gost', digest: 'streebog512' },
  '1.2.643.7.1.1.3.2': { keyType: 'gost', digest: 'streebog256' },
  '1.2.643.7.1.1.3.3': { keyType: 'gost', digest: 'streebog512' },
};

const signedDataIdentifier = encodeIdentifier(id_signedData);

/**
 * Checks a detached signature over `document` (RFC 5652, section 5.6): digest, signed attributes, and the signature itself with
 * the included certificate. It does not check whether the certificate is trusted. Throws 422 with the problem.
 */
export async function checkSignature(signature: Buffer, document: Buffer): Promise<CheckedSignature> {
  if (!claimsToBeSignedData(signature)) return { kind: 'opaque' };
  const signedData = parseSignedData(signature);
  if (signedData.encapContentInfo.eContent) throw wrong('The signature is not detached: it contains the document.');
  if (signedData.signerInfos.length === 0) throw wrong('The signature has no signer.');
  const notes = signedData.signerInfos.map((signer) => checkSigner(signer, signedData, document));
  const note = notes.find((text) => text !== undefined);
  return note === undefined ? { kind: 'cms-valid' } : { kind: 'opaque', note };
}

/** Whether the bytes start like SignedData. Then truncated CMS is refused instead of being accepted as opaque. */
function claimsToBeSignedData(bytes: Buffer): boolean {
  const longestHeader = 10;
  return (
    bytes[0] === 0x30 && bytes.subarray(0, longestHeader + signedDataIdentifier.length).includes(signedDataIdentifier)
  );
}

function parseSignedData(bytes: Buffer): SignedData {
  try {
    return AsnConvert.parse(AsnConvert.parse(bytes, ContentInfo).content, SignedData);
  } catch (error) {
    throw wrong(`The signature is CMS SignedData that cannot be read: ${(error as Error).message}`);
  }
}

/** Returns why the signer cannot be checked, or undefined if it is valid. */
function checkSigner(signer: SignerInfo, signedData: SignedData, document: Buffer): string | undefined {
  const digest = digests[signer.digestAlgorithm.algorithm];
  if (!digest) return `Digest algorithm ${signer.digestAlgorithm.algorithm} cannot be checked.`;
  if (signer.signedAttrs)
    checkAttributes(signer.signedAttrs, signedData.encapContentInfo.eContentType, digest, document);
  const algorithm = signatureAlgorithms[signer.signatureAlgorithm.algorithm];
  if (!algorithm) return `Signature algorithm ${signer.signatureAlgorithm.algorithm} cannot be checked.`;
  const certificate = signerCertificate(signer, signedData);
  const keyType = isGost(certificate) ? 'gost' : certificate.publicKey.asymmetricKeyType;
  if (keyType !== algorithm.keyType)
    throw wrong(`The signature algorithm does not match the signer's key, which is ${keyType}.`);
  const [signed, value] = [signedBytes(signer, document), Buffer.from(signer.signature.buffer)];
  if (!isValid(signed, value, algorithm.digest ?? digest, certificate))
    throw wrong("The signature is not valid for the signer's certificate.");
  return undefined;
}

function isGost(certificate: X509Certificate): boolean {
  const { keyAlgorithm } = certificateParts(certificate);
  return Object.values(gostDigests).some(({ key }) => key === keyAlgorithm);
}

function isValid(signed: Buffer, value: Buffer, digest: string, certificate: X509Certificate): boolean {
  if (!isGost(certificate)) return verify(digest, signed, certificate.publicKey, value);
  try {
    return isGostSignature(readGostKey(certificateParts(certificate).key), digestOf(digest, signed), value);
  } catch (error) {
    throw wrong(`The signer's key cannot be used: ${(error as Error).message}.`);
  }
}

function digestOf(name: string, bytes: Uint8Array): Buffer {
  const gost = Object.hasOwn(gostDigests, name) && gostDigests[name as GostDigest];
  return (gost ? new Streebog(gost.length) : createHash(name)).update(bytes).digest();
}

function checkAttributes(attributes: readonly Attribute[], contentType: string, digest: string, document: Buffer) {
  const typeValue = attributeValue(attributes, id_contentType, 'content-type');
  if (!encodeIdentifier(contentType).equals(Buffer.from(typeValue))) {
    throw wrong('The signed attribute content-type differs from the type of the content.');
  }
  const digestValue = attributeValue(attributes, id_messageDigest, 'message-digest');
  const claimed = Buffer.from(AsnConvert.parse(digestValue, OctetString).buffer);
  if (!claimed.equals(digestOf(digest, document))) {
    throw wrong('The signature is not over this document: the message digest differs.');
  }
}

function attributeValue(attributes: readonly Attribute[], type: string, name: string): ArrayBuffer {
  const value = attributes.find((attribute) => attribute.attrType === type)?.attrValues[0];
  if (!value) throw wrong(`The signed attributes have no ${name}.`);
  return value;
}

/**
 * The signature is over the SET of the attributes, but the message holds them with an implicit tag (RFC 5652, section 5.4). As in
 * OpenSSL, the order of the attributes stays as received.
 */
class SignedAttributes extends AsnArray<Attribute> {}
AsnType({ type: AsnTypeTypes.Set, itemType: Attribute })(SignedAttributes);

function signedBytes({ signedAttrs }: SignerInfo, document: Buffer): Buffer {
  return signedAttrs ? Buffer.from(AsnConvert.serialize(new SignedAttributes(signedAttrs))) : document;
}

function signerCertificate(signer: SignerInfo, signedData: SignedData): X509Certificate {
  const certificates = [...(signedData.certificates ?? [])].flatMap(({ certificate }) => certificate ?? []);
  const certificate = certificates.find((candidate) => isSigner(candidate, signer));
  if (!certificate) throw wrong("The signer's certificate is not included.");
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate)));
}

function isSigner({ tbsCertificate }: Certificate, { sid }: SignerInfo): boolean {
  if (sid.issuerAndSerialNumber) {
    const { issuer, serialNumber } = sid.issuerAndSerialNumber;
    return (
      same(serialNumber, tbsCertificate.serialNumber) &&
      same(AsnConvert.serialize(issuer), AsnConvert.serialize(tbsCertificate.issuer))
    );
  }
  const extension = tbsCertificate.extensions?.find(({ extnID }) => extnID === id_ce_subjectKeyIdentifier);
  if (!extension || !sid.subjectKeyIdentifier) return false;
  return same(
    AsnConvert.parse(extension.extnValue.buffer, SubjectKeyIdentifier).buffer,
    sid.subjectKeyIdentifier.buffer,
  );
}

function encodeIdentifier(identifier: string): Buffer {
  return Buffer.from(AsnObjectIdentifierConverter.toASN(identifier).toBER());
}

function same(left: ArrayBuffer, right: ArrayBuffer): boolean {
  return Buffer.from(left).equals(Buffer.from(right));
}

function wrong(message: string): ServiceError {
  return new ServiceError(422, 'signature_invalid', message);
}
