import {
  Attribute,
  CertificateChoices,
  CertificateSet,
  CMSVersion,
  ContentInfo,
  DigestAlgorithmIdentifier,
  DigestAlgorithmIdentifiers,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  id_contentType,
  id_data,
  id_messageDigest,
  id_signedData,
  id_signingTime,
  MessageDigest,
  SignatureAlgorithmIdentifier,
  SignedData,
  SignerIdentifier,
  SignerInfo,
  SignerInfos,
  SigningTime,
} from '@peculiar/asn1-cms';
import {
  AsnArray,
  AsnConvert,
  AsnObjectIdentifierConverter,
  AsnType,
  AsnTypeTypes,
  OctetString,
} from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';

export type DigestAlgorithm = 'sha256' | 'sha384' | 'sha512';
export type KeyType = 'rsa' | 'ecdsa';

export interface DetachedSignatureRequest {
  /** The document's digest by `digestAlgorithm`. */
  digest: Uint8Array;
  digestAlgorithm: DigestAlgorithm;
  /** DER. The signer's certificate comes first; a verifier uses the others to build the certificate path. */
  certificates: readonly Uint8Array[];
  keyType: KeyType;
  /**
   * Hashes a few hundred bytes with `digestAlgorithm` and signs them. Returns an RSA signature as PKCS #1 v1.5, an ECDSA
   * signature as DER.
   */
  sign: (dataToSign: Uint8Array) => Promise<Uint8Array>;
  /** Milliseconds are dropped. */
  signingTime: Date;
}

/** Object identifiers (RFC 5754, section 2) and lengths in bytes. */
const digestAlgorithms: Record<DigestAlgorithm, { identifier: string; length: number }> = {
  sha256: { identifier: '2.16.840.1.101.3.4.2.1', length: 32 },
  sha384: { identifier: '2.16.840.1.101.3.4.2.2', length: 48 },
  sha512: { identifier: '2.16.840.1.101.3.4.2.3', length: 64 },
};

/** RFC 3370, section 3.2. It is the same for every digest: `digestAlgorithm` names the digest. */
const rsaEncryption = '1.2.840.113549.1.1.1';

/** RFC 5754, section 3.3. */
const ecdsaAlgorithms: Record<DigestAlgorithm, string> = {
  sha256: '1.2.840.10045.4.3.2',
  sha384: '1.2.840.10045.4.3.3',
  sha512: '1.2.840.10045.4.3.4',
};

const asn1Null = new Uint8Array([0x05, 0x00]).buffer;

/**
 * Creates a detached CMS signature (RFC 5652: SignedData without content, DER) from a document's digest. The signed
 * attributes are content-type, message-digest and signing-time.
 * @throws RangeError if the digest has the wrong length, or a certificate is missing or not DER.
 */
export async function createDetachedSignature(request: DetachedSignatureRequest): Promise<Uint8Array> {
  requireDigestLength(request);
  const certificates = request.certificates.map(readCertificate);
  const signerInfo = unsignedSignerInfo(request, certificates[0]);
  signerInfo.signature = new OctetString(await request.sign(attributeSet(signerInfo.signedAttrs ?? [])));
  const signedData = new SignedData({
    version: CMSVersion.v1,
    digestAlgorithms: new DigestAlgorithmIdentifiers([signerInfo.digestAlgorithm]),
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: id_data }),
    certificates: new CertificateSet(
      inSetOrder(certificates.map((certificate) => new CertificateChoices({ certificate }))),
    ),
    signerInfos: new SignerInfos([signerInfo]),
  });
  const content = AsnConvert.serialize(signedData);
  return new Uint8Array(AsnConvert.serialize(new ContentInfo({ contentType: id_signedData, content })));
}

function requireDigestLength({ digest, digestAlgorithm }: DetachedSignatureRequest): void {
  const { length } = digestAlgorithms[digestAlgorithm];
  if (digest.length === length) return;
  throw new RangeError(`A ${digestAlgorithm} digest has ${length} bytes, but this one has ${digest.length}`);
}

/** Refuses a certificate that is not DER: encoding it again for the signature would change its bytes. */
function readCertificate(bytes: Uint8Array): Certificate {
  const certificate = AsnConvert.parse(bytes, Certificate);
  if (Buffer.from(AsnConvert.serialize(certificate)).equals(bytes)) return certificate;
  throw new RangeError('A certificate is not DER: its bytes change when it is encoded again');
}

function unsignedSignerInfo(request: DetachedSignatureRequest, signer: Certificate | undefined): SignerInfo {
  if (!signer) throw new RangeError("The signer's certificate is missing");
  const { issuer, serialNumber } = signer.tbsCertificate;
  return new SignerInfo({
    version: CMSVersion.v1,
    sid: new SignerIdentifier({ issuerAndSerialNumber: new IssuerAndSerialNumber({ issuer, serialNumber }) }),
    digestAlgorithm: new DigestAlgorithmIdentifier({ algorithm: digestAlgorithms[request.digestAlgorithm].identifier }),
    signedAttrs: signedAttributes(request),
    signatureAlgorithm: signatureAlgorithm(request),
  });
}

function signedAttributes({ digest, signingTime }: DetachedSignatureRequest): Attribute[] {
  const values: [string, ArrayBuffer][] = [
    [id_contentType, AsnObjectIdentifierConverter.toASN(id_data).toBER()],
    [id_messageDigest, AsnConvert.serialize(new MessageDigest(digest))],
    [id_signingTime, AsnConvert.serialize(new SigningTime(signingTime))],
  ];
  return inSetOrder(values.map(([attrType, value]) => new Attribute({ attrType, attrValues: [value] })));
}

/** The signed attributes as a SET. In SignedData they have an implicit tag instead (RFC 5652, section 5.4). */
class SignedAttributes extends AsnArray<Attribute> {}
AsnType({ type: AsnTypeTypes.Set, itemType: Attribute })(SignedAttributes);

/** The bytes to sign: the DER of the SET of the attributes, in the given order. */
export function attributeSet(attributes: readonly Attribute[]): Uint8Array {
  return new Uint8Array(AsnConvert.serialize(new SignedAttributes([...attributes])));
}

function signatureAlgorithm({ keyType, digestAlgorithm }: DetachedSignatureRequest): SignatureAlgorithmIdentifier {
  if (keyType === 'rsa') return new SignatureAlgorithmIdentifier({ algorithm: rsaEncryption, parameters: asn1Null });
  return new SignatureAlgorithmIdentifier({ algorithm: ecdsaAlgorithms[digestAlgorithm] });
}

/** Sorts the elements of a SET OF by their encodings (X.690, section 11.6). */
function inSetOrder<Element>(elements: readonly Element[]): Element[] {
  return elements
    .map((element) => ({ element, encoding: Buffer.from(AsnConvert.serialize(element)) }))
    .sort((left, right) => Buffer.compare(left.encoding, right.encoding))
    .map(({ element }) => element);
}
