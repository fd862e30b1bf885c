import { createVerify, type KeyObject, verify, type X509Certificate } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { dateProblem, issuedBy } from './certificate-path.ts';
import { type CmsSignature, type CmsSigner, readCmsSignature, type SignedAttributes } from './read-signature.ts';
import {
  type DigestAlgorithm,
  digestAlgorithms,
  type SignatureAlgorithm,
  signatureAlgorithms,
} from './signature-algorithms.ts';

/** The result of a check. `note` says what could not be checked. `problem` says what is wrong and how to fix it. */
export type Verdict = { passed: true; note?: string } | { passed: false; problem: string };

/** The document that was to be signed. */
export interface SignedDocument {
  digest(algorithm: DigestAlgorithm): Promise<Buffer>;
  open(): Promise<Readable>;
  /** Describes what else in the order has this digest, such as another document; undefined if nothing has. */
  describeOwner(algorithm: DigestAlgorithm, digest: Buffer): Promise<string | undefined>;
}

export interface Gate {
  /** What to do with a signature whose algorithm cannot be checked: `strict` refuses it, `check` passes it with a note. */
  level: 'check' | 'strict';
  /** The authorities that may issue signers' certificates. If the list is empty, any authority may. */
  authorities: readonly X509Certificate[];
  now: Date;
}

/** Ends the check. Thrown and caught in this file only. */
class Problem extends Error {}

/**
 * Checks a detached CMS signature over a document (RFC 5652, section 5.6). It must be readable and have the document's
 * digest. Every signer's signature must be valid. Every signer's certificate must be valid now, and issued by one of the
 * gate's authorities.
 */
export function checkSignature(bytes: Uint8Array, document: SignedDocument, gate: Gate): Promise<Verdict> {
  return openSignature(bytes, gate)(document);
}

/** Reads a signature once, to check it against one document or several. */
export function openSignature(bytes: Uint8Array, gate: Gate): (document: SignedDocument) => Promise<Verdict> {
  try {
    const signature = readSignature(bytes);
    const { authorities, now } = gate;
    const { certificates } = signature;
    const trusted = authorities.length > 0 ? issuedBy(authorities, certificates, now) : new Set(certificates);
    return (document) => checkSigners({ ...signature, trusted }, document, gate).catch(refusal);
  } catch (error) {
    const refused = refusal(error);
    return async () => refused;
  }
}

function refusal(error: unknown): Verdict {
  if (error instanceof Problem) return { passed: false, problem: error.message };
  throw error;
}

/** A signature, and those of its certificates that the gate trusts. */
type OpenSignature = CmsSignature & { trusted: ReadonlySet<X509Certificate> };

/** Checks one signer after another, so that the first problem ends the check. */
async function checkSigners(signature: OpenSignature, document: SignedDocument, gate: Gate): Promise<Verdict> {
  const notes: string[] = [];
  for (const signer of signature.signers) notes.push(...(await checkSigner(signer, signature, document, gate.now)));
  const [note] = notes;
  if (note === undefined) return { passed: true };
  if (gate.level === 'strict') throw new Problem(`${note} This stage does not accept such a signature.`);
  return { passed: true, note };
}

function readSignature(bytes: Uint8Array): CmsSignature {
  if (Buffer.from(bytes.subarray(0, 10)).toString('latin1') === '-----BEGIN') {
    throw new Problem('It is PEM text. Upload the signature as DER (openssl cms: -outform DER).');
  }
  let signature: CmsSignature;
  try {
    signature = readCmsSignature(bytes);
  } catch (error) {
    throw new Problem(`It cannot be read as CMS SignedData: ${(error as Error).message}.`);
  }
  if (!signature.isDetached) throw new Problem('It contains the document. Make a detached signature.');
  if (signature.signers.length === 0) throw new Problem('It has no signer.');
  return signature;
}

/** Returns why the signer cannot be checked completely; nothing if everything was checked and is valid. */
async function checkSigner(
  signer: CmsSigner,
  { contentType, trusted }: OpenSignature,
  document: SignedDocument,
  now: Date,
): Promise<string[]> {
  const { certificate } = signer;
  if (!certificate)
    throw new Problem("It does not contain the signer's certificate. Sign with the certificate included.");
  const wrongDate = dateProblem(certificate, now);
  if (wrongDate) throw new Problem(`The signer's certificate cannot be used: ${wrongDate}.`);
  const digest = digestAlgorithms.get(signer.digestAlgorithm);
  if (!digest) return [`The digest algorithm ${signer.digestAlgorithm} cannot be checked here.`];
  if (signer.attributes) await checkAttributes(signer.attributes, contentType, digest, document);
  const algorithm = signatureAlgorithms.get(signer.signatureAlgorithm);
  if (!algorithm) return [`The signature algorithm ${signer.signatureAlgorithm} cannot be checked here.`];
  if (!(await isValid(signer, algorithm, algorithm.digest ?? digest, certificate, document))) {
    throw new Problem(
      "The signature does not match the signer's certificate: it was altered, or made with another key.",
    );
  }
  if (!trusted.has(certificate)) {
    throw new Problem(
      "The signer's certificate was not issued by an authority that this stage trusts. Include the intermediate certificates.",
    );
  }
  return [];
}

async function checkAttributes(
  attributes: SignedAttributes,
  contentType: string,
  algorithm: DigestAlgorithm,
  document: SignedDocument,
): Promise<void> {
  if (attributes.contentType !== contentType) {
    throw new Problem('The signed attribute content-type is missing, or is not the type of the content.');
  }
  const claimed = attributes.messageDigest;
  if (!claimed) throw new Problem('The signed attributes have no message-digest.');
  if (claimed.equals(await document.digest(algorithm))) return;
  const other = await document.describeOwner(algorithm, claimed);
  throw new Problem(other ? `It is the signature of ${other}.` : 'It is not the signature of this document.');
}

async function isValid(
  { attributes, signature }: CmsSigner,
  { keyTypes, padding }: SignatureAlgorithm,
  digest: DigestAlgorithm,
  certificate: X509Certificate,
  document: SignedDocument,
): Promise<boolean> {
  const key = publicKey(certificate);
  if (!key?.asymmetricKeyType || !keyTypes.includes(key.asymmetricKeyType)) {
    throw new Problem("The signature's algorithm does not fit the key of the signer's certificate.");
  }
  const keyAndPadding = { key, ...padding };
  if (attributes) {
    return attributes.signedForms.some((form) => verified(() => verify(digest, form, keyAndPadding, signature)));
  }
  const verifier = createVerify(digest);
  await pipeline(await document.open(), verifier);
  return verified(() => verifier.verify(keyAndPadding, signature));
}

/** OpenSSL throws where a key is restricted to other parameters (RFC 4055, section 3.1): then the signature is not valid. */
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
    // Node does not support the key's algorithm, so the key cannot fit an algorithm that Node verifies.
    return undefined;
  }
}
