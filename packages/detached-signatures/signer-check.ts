import { createVerify, type KeyObject, verify, type X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { certificateParts } from './certificate-parts.ts';
import { digestOf } from './digest.ts';
import type { CmsSignature, CmsSigner, SignedAttributes } from './read-signature.ts';
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
  if (signer.attributes) await checkAttributes(signer.attributes, contentType, digest, document);
  const algorithm = signatureAlgorithms.get(signer.signatureAlgorithm);
  if (!algorithm) return reason('CRYPTO_CONSTRAINTS_FAILURE.signature', { identifier: signer.signatureAlgorithm });
  const isValid = algorithm.keyTypes === 'gost' ? isGostValid : isNodeValid;
  if (await isValid(signer, algorithm, algorithm.digest ?? digest, document)) return undefined;
  throw new InvalidSignature('SIG_CRYPTO_FAILURE');
}

async function checkAttributes(
  attributes: SignedAttributes,
  contentType: string,
  algorithm: DigestAlgorithm,
  document: SignedDocument,
): Promise<void> {
  if (attributes.contentType !== contentType) throw new InvalidSignature('SIG_CONSTRAINTS_FAILURE.contentType');
  const claimed = attributes.messageDigest;
  if (!claimed) throw new InvalidSignature('SIG_CONSTRAINTS_FAILURE.messageDigest');
  if (claimed.equals(await document.digest(algorithm))) return;
  const owner = await document.findOwner(algorithm, claimed);
  throw owner ? new InvalidSignature('HASH_FAILURE.other', owner) : new InvalidSignature('HASH_FAILURE');
}

const wrongKeyType = () => new InvalidSignature('SIG_CRYPTO_FAILURE.keyType');

async function isGostValid(
  { attributes, signature, certificate }: NamedSigner,
  _algorithm: SignatureAlgorithm,
  digest: DigestAlgorithm,
  document: SignedDocument,
): Promise<boolean> {
  const { isGostSignature, readGostKey } = await import('./gost-signature.ts');
  const { key: info, keyAlgorithm } = certificateParts(certificate);
  if (!isGostDigest(digest) || keyAlgorithm !== gostDigests[digest].key) throw wrongKeyType();
  const key = readGostKey(info);
  if (!attributes) return isGostSignature(key, await document.digest(digest), signature);
  for (const form of attributes.signedForms) {
    if (isGostSignature(key, await digestOf(Readable.from([form]), digest), signature)) return true;
  }
  return false;
}

async function isNodeValid(
  { attributes, signature, certificate }: NamedSigner,
  { keyTypes, padding }: SignatureAlgorithm,
  digest: DigestAlgorithm,
  document: SignedDocument,
): Promise<boolean> {
  const key = publicKey(certificate);
  if (!key?.asymmetricKeyType || !keyTypes.includes(key.asymmetricKeyType) || isGostDigest(digest))
    throw wrongKeyType();
  const keyAndPadding = { key, ...padding };
  if (attributes) {
    return attributes.signedForms.some((form) => verified(() => verify(digest, form, keyAndPadding, signature)));
  }
  const verifier = createVerify(digest);
  await pipeline(await document.open(), verifier);
  return verified(() => verifier.verify(keyAndPadding, signature));
}

/** OpenSSL throws if the key is restricted to other parameters (RFC 4055, section 3.1). The signature is then invalid. */
function verified(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function publicKey(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    // Node does not support the key's algorithm.
    return undefined;
  }
}
