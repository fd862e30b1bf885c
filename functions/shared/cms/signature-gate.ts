import { createVerify, type KeyObject, verify, type X509Certificate } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { dateProblem, isIssuedBy } from './certificate-path.ts';
import type { DigestAlgorithm } from './create-signature.ts';
import { type CmsSignature, type CmsSigner, readCmsSignature, type SignedAttributes } from './read-signature.ts';
import { digestAlgorithms, type SignatureAlgorithm, signatureAlgorithms } from './signature-algorithms.ts';

/** What came of a check. `note` says what could not be checked here, `problem` what is wrong and how to mend it. */
export type Verdict = { passed: true; note?: string } | { passed: false; problem: string };

/** The document that a signature should be of. */
export interface SignedDocument {
  digest(algorithm: DigestAlgorithm): Promise<Buffer>;
  open(): Promise<Readable>;
  /** In words, what else of the order has this digest; undefined when nothing has. */
  whose(algorithm: DigestAlgorithm, digest: Buffer): Promise<string | undefined>;
}

export interface Gate {
  /** `strict` refuses what can't be checked here; `check` passes it on with a note. */
  level: 'check' | 'strict';
  /** Who may have issued signers' certificates; anybody where there is none. */
  authorities: readonly X509Certificate[];
  now: Date;
}

/** Thrown and caught in this file alone: the check is over. */
class Problem extends Error {}

/**
 * Checks a detached CMS signature over a document (RFC 5652, section 5.6): it can be read, the digest is the document's, every
 * signer's signature holds, its certificate is within its dates and issued by one of the gate's authorities.
 */
export async function checkSignature(bytes: Uint8Array, document: SignedDocument, gate: Gate): Promise<Verdict> {
  try {
    const signature = readSignature(bytes);
    const notes = await Promise.all(signature.signers.map((signer) => checkSigner(signer, signature, document, gate)));
    const note = notes.find((text) => text !== undefined);
    if (note !== undefined && gate.level === 'strict') throw new Problem(`${note} This stage takes no such signature.`);
    return { passed: true, ...(note !== undefined && { note }) };
  } catch (error) {
    if (error instanceof Problem) return { passed: false, problem: error.message };
    throw error;
  }
}

function readSignature(bytes: Uint8Array): CmsSignature {
  if (Buffer.from(bytes.subarray(0, 10)).toString('latin1') === '-----BEGIN') {
    throw new Problem('It is PEM text. Upload the same signature as DER (openssl cms: -outform DER).');
  }
  let signature: CmsSignature;
  try {
    signature = readCmsSignature(bytes);
  } catch (error) {
    throw new Problem(`It can't be read as CMS SignedData: ${(error as Error).message}.`);
  }
  if (!signature.isDetached) throw new Problem('It contains the document. Make a detached signature.');
  if (signature.signers.length === 0) throw new Problem('It has no signer.');
  return signature;
}

/** Answers why the signer can't be checked in full, or nothing when it was, and holds. */
async function checkSigner(
  signer: CmsSigner,
  { contentType, certificates }: CmsSignature,
  document: SignedDocument,
  gate: Gate,
): Promise<string | undefined> {
  const { certificate } = signer;
  if (!certificate) throw new Problem("The signer's certificate is not in it. Sign with the certificate included.");
  const wrongDate = dateProblem(certificate, gate.now);
  if (wrongDate) throw new Problem(`The signer's certificate can't be used: ${wrongDate}.`);
  const digest = digestAlgorithms.get(signer.digestAlgorithm);
  if (!digest) return `The digest algorithm ${signer.digestAlgorithm} can't be checked here.`;
  if (signer.attributes) await checkAttributes(signer.attributes, contentType, digest, document);
  const algorithm = signatureAlgorithms.get(signer.signatureAlgorithm);
  if (!algorithm) return `The signature algorithm ${signer.signatureAlgorithm} can't be checked here.`;
  if (!(await holds(signer, algorithm, algorithm.digest ?? digest, certificate, document))) {
    throw new Problem(
      "The signature does not hold with the signer's certificate: it was altered, or made by another key.",
    );
  }
  const { authorities, now } = gate;
  if (authorities.length > 0 && !isIssuedBy(certificate, authorities, certificates, now)) {
    throw new Problem(
      "The signer's certificate was not issued by an authority that this stage trusts. Include the certificates between the two.",
    );
  }
  return undefined;
}

async function checkAttributes(
  attributes: SignedAttributes,
  contentType: string,
  algorithm: DigestAlgorithm,
  document: SignedDocument,
): Promise<void> {
  if (attributes.contentType !== contentType) {
    throw new Problem('The signed attribute content-type is missing, or differs from the type of the content.');
  }
  const claimed = attributes.messageDigest;
  if (!claimed) throw new Problem('The signed attributes have no message-digest.');
  if (claimed.equals(await document.digest(algorithm))) return;
  const other = await document.whose(algorithm, claimed);
  throw new Problem(
    other ? `It is the signature of ${other}.` : 'It is the signature of other bytes than this document.',
  );
}

async function holds(
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
  if (attributes) return attributes.signedForms.some((form) => verify(digest, form, keyAndPadding, signature));
  const verifier = createVerify(digest);
  await pipeline(await document.open(), verifier);
  return verifier.verify(keyAndPadding, signature);
}

function publicKey(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    // A key of an algorithm that Node does not know is none that this signature's algorithm is made with.
    return undefined;
  }
}
