import { createVerify, type X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { algorithmOf, type CertificateParts, certificateParts, publicKeyOf } from './certificate-parts.ts';
import { toDer } from './der.ts';
import { digestOf } from './digest.ts';
import { type Element, elementAt, type Pair, partsOf, SEQUENCE } from './elements.ts';
import { sameName } from './names.ts';
import { type CmsSignature, type CmsSigner, DATA, type SignedAttributes } from './read-signature.ts';
import { InvalidSignature, type Owner, type Reason, reason } from './reasons.ts';
import {
  type DigestAlgorithm,
  digestAlgorithms,
  gostDigests,
  isGostDigest,
  type SignatureAlgorithm,
  signatureAlgorithms,
  weakDigests,
} from './signature-algorithms.ts';

export interface SignedDocument {
  digest(algorithm: DigestAlgorithm): Promise<Buffer>;
  open(): Promise<Readable>;
  /** Size in bytes, if it is known without reading the document. */
  size?: number;
  /** Finds what else has this digest; undefined if nothing has. */
  findOwner(algorithm: DigestAlgorithm, digest: Buffer): Promise<Owner | undefined>;
}

/** A document that is in memory. */
export const documentOf = (content: Buffer): SignedDocument => ({
  digest: (algorithm) => digestOf(Readable.from([content]), algorithm),
  open: async () => Readable.from([content]),
  findOwner: async () => undefined,
});

export type NamedSigner = CmsSigner & { certificate: X509Certificate };

/** Returns why the signature cannot be checked; undefined if it is valid. @throws InvalidSignature if it is not valid. */
export async function uncheckedReason(
  signer: NamedSigner,
  { contentType }: Pick<CmsSignature, 'contentType'>,
  document: SignedDocument,
): Promise<Reason | undefined> {
  const digest = digestAlgorithms.get(signer.digestAlgorithm);
  const { digestAlgorithm: identifier } = signer;
  if (signatureAlgorithms.has(identifier)) return reason('CRYPTO_CONSTRAINTS_FAILURE.digestAlgorithm', { identifier });
  if (!digest) return reason('CRYPTO_CONSTRAINTS_FAILURE.digest', { identifier, name: weakDigests.get(identifier) });
  if (signer.attributes) await checkAttributes(signer, signer.attributes, contentType, digest, document);
  else if (contentType !== DATA) throw new InvalidSignature('SIG_CONSTRAINTS_FAILURE.noAttributes');
  const { algorithm, signatureAlgorithm } = signer;
  if (!algorithm) return reason('CRYPTO_CONSTRAINTS_FAILURE.signature', { identifier: signatureAlgorithm });
  const contents = signer.attributes?.signedForms.map(documentOf) ?? [document];
  for (const content of contents)
    if (await hasSigned(certificateParts(signer.certificate), algorithm, content, signer.signature, digest))
      return undefined;
  throw new InvalidSignature('SIG_CRYPTO_FAILURE');
}

async function checkAttributes(
  { certificate }: NamedSigner,
  { signingCertificates, ...attributes }: SignedAttributes,
  contentType: string,
  algorithm: DigestAlgorithm,
  document: SignedDocument,
): Promise<void> {
  if (attributes.contentType !== contentType) throw new InvalidSignature('SIG_CONSTRAINTS_FAILURE.contentType');
  const claimed = attributes.messageDigest;
  if (!claimed) throw new InvalidSignature('SIG_CONSTRAINTS_FAILURE.messageDigest');
  for (const byDefault of ['sha1', 'sha256'] as const)
    await requireIdentified(certificateParts(certificate), signingCertificates[byDefault], byDefault);
  const own = await document.digest(algorithm);
  if (claimed.equals(own)) return;
  const owner = await document.findOwner(algorithm, claimed);
  const digests = { found: claimed.subarray(0, 64).toString('hex'), expected: own.toString('hex') };
  if (owner) throw new InvalidSignature('HASH_FAILURE.other', { ...owner, ...digests });
  throw new InvalidSignature('HASH_FAILURE', digests);
}

const DIRECTORY_NAME = 0xa4;

/** @throws InvalidSignature if the first ESSCertID or ESSCertIDv2 is of another certificate (RFC 5035, sections 3 to 5). */
async function requireIdentified(
  { certificate, issuer, serialNumber }: CertificateParts,
  value: Element | undefined,
  byDefault: 'sha1' | 'sha256',
): Promise<void> {
  if (!value) return;
  const parts = partsOf<Element[]>(elementAt(elementAt(value.content).content), 'essCertificate');
  const named = parts[0]?.tag === SEQUENCE ? digestAlgorithms.get(algorithmOf(parts.shift() as Element)) : byDefault;
  const [digest, issuerSerial] = parts as [Element, Element?];
  const isSame = named && digest.content.equals(await digestOf(Readable.from([certificate.raw]), named));
  const [names, serial] = issuerSerial ? partsOf<Pair>(issuerSerial, 'issuerAndSerialNumber') : [];
  const name = names && elementAt(names.content);
  const isNamed =
    name?.tag === DIRECTORY_NAME &&
    sameName(toDer(elementAt(name.content)), issuer) &&
    serial?.content.equals(serialNumber);
  if (!isSame || (issuerSerial && !isNamed)) throw new InvalidSignature('SIG_CONSTRAINTS_FAILURE.signingCertificate');
}

/** Whether the certificate's key signed the content. @throws InvalidSignature if the key is not for this algorithm. */
async function hasSigned(
  { certificate, key: info, keyAlgorithm }: CertificateParts,
  { keyTypes, padding, digest: own }: SignatureAlgorithm,
  content: SignedDocument,
  signature: Buffer,
  byDefault: DigestAlgorithm = 'sha256',
): Promise<boolean> {
  const digest = own ?? byDefault;
  if (isGostDigest(digest)) {
    if (keyTypes !== 'gost' || keyAlgorithm !== gostDigests[digest].key) throw wrongKeyType();
    const { isGostSignature, readGostKey } = await import('./gost-signature.ts');
    return isGostSignature(readGostKey(info), await content.digest(digest), signature);
  }
  const key = publicKeyOf(certificate);
  if (!key?.asymmetricKeyType || !keyTypes.includes(key.asymmetricKeyType)) throw wrongKeyType();
  const verifier = createVerify(digest);
  await pipeline(await content.open(), verifier);
  try {
    return verifier.verify({ key, ...padding }, signature);
  } catch {
    // OpenSSL throws if the key is restricted to other parameters (RFC 4055, section 3.1).
    return false;
  }
}

/** Whether the certificate's key signed another certificate, a list or a response, by an algorithm that names its digest. */
export async function isSignedBy(
  by: CertificateParts,
  { algorithm, body, signature }: Pick<CertificateParts, 'algorithm' | 'body' | 'signature'>,
): Promise<boolean> {
  if (!algorithm?.digest) return false;
  // A key of another kind has not signed it.
  return hasSigned(by, algorithm, documentOf(body), signature).catch(() => false);
}

const wrongKeyType = () => new InvalidSignature('SIG_CRYPTO_FAILURE.keyType');
