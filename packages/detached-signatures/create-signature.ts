import { readCertificate } from './certificate-parts.ts';
import { encoded, encodeOid, encodeTime, sequence } from './der.ts';
import { elementAt, OCTET_STRING, requireBounded, SET, TAGGED_0 } from './elements.ts';
import { CONTENT_TYPE, DATA, MESSAGE_DIGEST, SIGNED_DATA } from './read-signature.ts';
import { type DigestAlgorithm, digests, gostDigests, isGostDigest, RSA, shaDigests } from './signature-algorithms.ts';

export type { DigestAlgorithm } from './signature-algorithms.ts';
export type KeyType = 'rsa' | 'ecdsa' | 'gost';

export interface DetachedSignatureRequest {
  digest: Uint8Array;
  digestAlgorithm: DigestAlgorithm;
  /** DER. The signer's certificate comes first; a verifier uses the others to build the certificate path. */
  certificates: readonly Uint8Array[];
  keyType: KeyType;
  /**
   * Hashes a few hundred bytes with `digestAlgorithm` and signs them. Returns an RSA signature as PKCS #1 v1.5, an ECDSA
   * signature as DER, a GOST signature as s and r in big-endian order.
   */
  sign: (dataToSign: Uint8Array) => Promise<Uint8Array>;
  /** Milliseconds are dropped. */
  signingTime: Date;
}

const SIGNING_TIME = '1.2.840.113549.1.9.5';
const VERSION_1 = encoded(0x02, Buffer.of(1));
const NULL = encoded(0x05);

/**
 * Creates a detached CMS signature (RFC 5652: SignedData without content, DER) from a document's digest. The signed
 * attributes are content-type, message-digest and signing-time.
 * @throws Error if the digest has the wrong length, or a certificate is missing or cannot be read.
 */
export async function createDetachedSignature(request: DetachedSignatureRequest): Promise<Uint8Array> {
  requireDigestLength(request);
  const signer = signerIdentifier(request.certificates);
  const digestAlgorithm = sequence(encodeOid(digests[request.digestAlgorithm].identifier));
  const attributes = signedAttributes(request);
  // The attributes are signed as a SET, but have an implicit tag in SignedData (RFC 5652, section 5.4).
  const signature = Buffer.from(await request.sign(encoded(SET, ...attributes)));
  const signerInfo = sequence(
    VERSION_1,
    signer,
    digestAlgorithm,
    encoded(TAGGED_0, ...attributes),
    signatureAlgorithm(request),
    encoded(OCTET_STRING, signature),
  );
  const signedData = sequence(
    VERSION_1,
    encoded(SET, digestAlgorithm),
    sequence(encodeOid(DATA)),
    encoded(TAGGED_0, ...inSetOrder(request.certificates.map((certificate) => Buffer.from(certificate)))),
    encoded(SET, signerInfo),
  );
  return sequence(encodeOid(SIGNED_DATA), encoded(TAGGED_0, signedData));
}

function requireDigestLength({ digest, digestAlgorithm }: DetachedSignatureRequest): void {
  const { length } = digests[digestAlgorithm];
  if (digest.length === length) return;
  throw new RangeError(`A ${digestAlgorithm} digest has ${length} bytes, but this one has ${digest.length}`);
}

/** IssuerAndSerialNumber of the first certificate. Checks that all certificates can be read. */
function signerIdentifier(certificates: readonly Uint8Array[]): Buffer {
  const [signer] = certificates.map((bytes) => {
    const certificate = Buffer.from(bytes);
    requireBounded(certificate);
    return readCertificate(elementAt(certificate));
  });
  if (!signer) throw new RangeError("The signer's certificate is missing");
  return sequence(signer.issuer, encoded(0x02, signer.serialNumber));
}

function signedAttributes({ digest, signingTime }: DetachedSignatureRequest): Buffer[] {
  const values: [string, Buffer][] = [
    [CONTENT_TYPE, encodeOid(DATA)],
    [MESSAGE_DIGEST, encoded(OCTET_STRING, Buffer.from(digest))],
    [SIGNING_TIME, encodeTime(signingTime)],
  ];
  return inSetOrder(values.map(([type, value]) => sequence(encodeOid(type), encoded(SET, value))));
}

/** RSA has one identifier for all digests: `digestAlgorithm` names the digest (RFC 3370, section 3.2). */
function signatureAlgorithm({ keyType, digestAlgorithm }: DetachedSignatureRequest): Buffer {
  if (isGostDigest(digestAlgorithm)) return sequence(encodeOid(gostDigests[digestAlgorithm].key));
  return keyType === 'rsa'
    ? sequence(encodeOid(RSA), NULL)
    : sequence(encodeOid(shaDigests[digestAlgorithm].withEcdsa));
}

/** Sorts the elements of a SET OF by their encodings (X.690, section 11.6). */
const inSetOrder = (elements: readonly Buffer[]) => elements.toSorted(Buffer.compare);
