import { createVerify, type KeyObject, verify, type X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { certificateParts } from './certificate-parts.ts';
import { digestOf } from './digest.ts';
import type { CmsSignature, CmsSigner, SignedAttributes } from './read-signature.ts';
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
  /** Describes the other item that has this digest, such as another document; undefined if there is none. */
  describeOwner(algorithm: DigestAlgorithm, digest: Buffer): Promise<string | undefined>;
}

/** A document that is in memory. */
export const documentOf = (content: Buffer): SignedDocument => ({
  digest: (algorithm) => digestOf(Readable.from([content]), algorithm),
  open: async () => Readable.from([content]),
  describeOwner: async () => undefined,
});

/** Thrown to end a check. `openSignature` turns it into a verdict. */
export class Refusal extends Error {}

export type NamedSigner = CmsSigner & { certificate: X509Certificate };

/** Returns why the signature cannot be checked; undefined if it is valid. @throws Refusal if it is not valid. */
export async function uncheckedReason(
  signer: NamedSigner,
  { contentType }: Pick<CmsSignature, 'contentType'>,
  document: SignedDocument,
): Promise<string | undefined> {
  const digest = digestAlgorithms.get(signer.digestAlgorithm);
  if (!digest) return unknownDigest(signer.digestAlgorithm);
  if (signer.attributes) await checkAttributes(signer.attributes, contentType, digest, document);
  const algorithm = signatureAlgorithms.get(signer.signatureAlgorithm);
  if (!algorithm)
    return `The signature algorithm ${signer.signatureAlgorithm} cannot be checked here. Sign with RSA, ECDSA or GOST R 34.10-2012.`;
  const isValid = algorithm.keyTypes === 'gost' ? isGostValid : isNodeValid;
  if (await isValid(signer, algorithm, algorithm.digest ?? digest, document)) return undefined;
  throw new Refusal("The signature does not match the signer's certificate: it was altered, or made with another key.");
}

function unknownDigest(identifier: string): string {
  const name = weakDigests.get(identifier);
  const shown = name === undefined ? identifier : `${name} (${identifier})`;
  return `The digest algorithm ${shown} cannot be checked here. Sign with SHA-256, SHA-384, SHA-512 or Streebog.`;
}

async function checkAttributes(
  attributes: SignedAttributes,
  contentType: string,
  algorithm: DigestAlgorithm,
  document: SignedDocument,
): Promise<void> {
  if (attributes.contentType !== contentType) {
    throw new Refusal('The signed attribute content-type is missing, or is not the type of the content.');
  }
  const claimed = attributes.messageDigest;
  if (!claimed) throw new Refusal('The signed attributes have no message-digest.');
  if (claimed.equals(await document.digest(algorithm))) return;
  const other = await document.describeOwner(algorithm, claimed);
  throw new Refusal(other ? `It is the signature of ${other}.` : 'It is not the signature of this document.');
}

const wrongKey = () => new Refusal("The signature's algorithm does not match the signer's key.");

async function isGostValid(
  { attributes, signature, certificate }: NamedSigner,
  _algorithm: SignatureAlgorithm,
  digest: DigestAlgorithm,
  document: SignedDocument,
): Promise<boolean> {
  const { isGostSignature, readGostKey } = await import('./gost-signature.ts');
  const { key: info, keyAlgorithm } = certificateParts(certificate);
  if (!isGostDigest(digest) || keyAlgorithm !== gostDigests[digest].key) throw wrongKey();
  let key: ReturnType<typeof readGostKey>;
  try {
    key = readGostKey(info);
  } catch (error) {
    throw new Refusal(`The key of the signer's certificate cannot be used: ${(error as Error).message}.`);
  }
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
  if (!key?.asymmetricKeyType || !keyTypes.includes(key.asymmetricKeyType) || isGostDigest(digest)) throw wrongKey();
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
