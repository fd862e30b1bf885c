import { createVerify, type KeyObject, verify, type X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { allows, certificateParts } from './certificate-parts.ts';
import { dateProblem, issuedBy } from './certificate-path.ts';
import { digestOf } from './digest.ts';
import {
  binaryOf,
  type CmsSignature,
  type CmsSigner,
  readCmsSignature,
  type SignedAttributes,
} from './read-signature.ts';
import {
  type DigestAlgorithm,
  digestAlgorithms,
  gostDigests,
  isGostDigest,
  type SignatureAlgorithm,
  signatureAlgorithms,
} from './signature-algorithms.ts';
import { type SignerName, signerName } from './signer-name.ts';

/** The result of a check. `problem` says what is wrong and how to fix it. */
export type Verdict = PassedVerdict | { passed: false; problem: string };

export interface PassedVerdict {
  passed: true;
  /** The signature to store and to send: decoded, if it came as text. */
  bytes: Uint8Array;
  signers: SignerName[];
  /** Why a signature is not known to be valid, if the gate accepts that. Make it loud. */
  unchecked?: string;
  /** What else was not checked. */
  notes: string[];
}

/** The document that was to be signed. */
export interface SignedDocument {
  digest(algorithm: DigestAlgorithm): Promise<Buffer>;
  open(): Promise<Readable>;
  /** Describes what else in the order has this digest, such as another document; undefined if nothing has. */
  describeOwner(algorithm: DigestAlgorithm, digest: Buffer): Promise<string | undefined>;
}

export interface Gate {
  /** `strict` also refuses signatures that cannot be checked, whatever `unchecked` says. */
  level: 'check' | 'strict';
  /** The authorities that may issue signers' certificates. If the list is empty, any authority may. */
  authorities: readonly X509Certificate[];
  /** What to do with a signature whose algorithm is not known here. Its certificate must still be one of the authorities'. Default: `refuse`. */
  unchecked?: 'accept' | 'refuse';
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
    const signature = readSignature(binaryOf(bytes));
    let opened: Promise<OpenSignature> | undefined;
    return async (document) => {
      opened ??= open(signature, gate);
      return checkSigners(await opened, document, gate).catch(refusal);
    };
  } catch (error) {
    const refused = refusal(error);
    return async () => refused;
  }
}

async function open(signature: BinarySignature, { authorities, now }: Gate): Promise<OpenSignature> {
  const { certificates } = signature;
  return { ...signature, trusted: authorities.length > 0 ? await issuedBy(authorities, certificates, now) : undefined };
}

function refusal(error: unknown): Verdict {
  if (error instanceof Problem) return { passed: false, problem: error.message };
  throw error;
}

/** A signature as it is stored and sent. */
type BinarySignature = CmsSignature & { bytes: Uint8Array };

/** A signature, and those of its certificates that the gate trusts; undefined if it trusts all. */
type OpenSignature = BinarySignature & { trusted: ReadonlySet<X509Certificate> | undefined };

const NO_AUTHORITIES = "Who issued the signer's certificate was not checked: no authority is named.";

/** Checks one signer after another, so that the first problem ends the check. */
async function checkSigners(signature: OpenSignature, document: SignedDocument, gate: Gate): Promise<Verdict> {
  const signers: SignerName[] = [];
  let unchecked: string | undefined;
  const read = readingOnce(document);
  for (const signer of signature.signers) {
    const certificate = certificateOf(signer, gate.now);
    const reason = await uncheckedReason({ ...signer, certificate }, signature, read);
    requireTrusted(certificate, signature);
    if (reason && (gate.level === 'strict' || gate.unchecked !== 'accept')) {
      throw new Problem(`${reason} This stage does not accept such a signature.`);
    }
    unchecked ??= reason;
    signers.push(signerName(certificate));
  }
  const notes = signature.trusted ? [] : [NO_AUTHORITIES];
  return { passed: true, bytes: signature.bytes, signers, ...(unchecked !== undefined && { unchecked }), notes };
}

/** Computes each digest of the document once, however many signers name it. */
function readingOnce(document: SignedDocument): SignedDocument {
  const digests = new Map<DigestAlgorithm, Promise<Buffer>>();
  const digest = (algorithm: DigestAlgorithm) => {
    const known = digests.get(algorithm) ?? document.digest(algorithm);
    digests.set(algorithm, known);
    return known;
  };
  return { ...document, digest };
}

function readSignature(bytes: Uint8Array): BinarySignature {
  let signature: CmsSignature;
  try {
    signature = readCmsSignature(bytes);
  } catch (error) {
    throw new Problem(`It cannot be read as CMS SignedData: ${(error as Error).message}.`);
  }
  if (!signature.isDetached) throw new Problem('It contains the document. Make a detached signature.');
  if (signature.signers.length === 0) throw new Problem('It has no signer.');
  return { ...signature, bytes };
}

/** The signer's certificate, which must be there, valid, and for signing. */
function certificateOf({ certificate }: CmsSigner, now: Date): X509Certificate {
  if (!certificate)
    throw new Problem("It does not contain the signer's certificate. Sign with the certificate included.");
  const problem = dateProblem(certificate, now);
  if (problem) throw new Problem(`The signer's certificate cannot be used: ${problem}.`);
  if (!allows(certificateParts(certificate), 'digitalSignature', 'nonRepudiation'))
    throw new Problem("The signer's certificate cannot be used: its key is not for signing documents.");
  return certificate;
}

function requireTrusted(certificate: X509Certificate, { trusted }: OpenSignature): void {
  if (!trusted || trusted.has(certificate)) return;
  throw new Problem(
    "The signer's certificate was not issued by an authority that this stage trusts. Include the intermediate certificates.",
  );
}

type NamedSigner = CmsSigner & { certificate: X509Certificate };

/** Returns why the signature cannot be checked; undefined if it was checked and is valid. */
async function uncheckedReason(
  signer: NamedSigner,
  { contentType }: OpenSignature,
  document: SignedDocument,
): Promise<string | undefined> {
  const digest = digestAlgorithms.get(signer.digestAlgorithm);
  if (!digest) return `The digest algorithm ${signer.digestAlgorithm} cannot be checked here.`;
  if (signer.attributes) await checkAttributes(signer.attributes, contentType, digest, document);
  const algorithm = signatureAlgorithms.get(signer.signatureAlgorithm);
  if (!algorithm) return `The signature algorithm ${signer.signatureAlgorithm} cannot be checked here.`;
  const isValid = algorithm.keyTypes === 'gost' ? isGostValid : isNodeValid;
  if (await isValid(signer, algorithm, algorithm.digest ?? digest, document)) return undefined;
  throw new Problem("The signature does not match the signer's certificate: it was altered, or made with another key.");
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

const doesNotFit = () => new Problem("The signature's algorithm does not fit the key of the signer's certificate.");

async function isGostValid(
  { attributes, signature, certificate }: NamedSigner,
  _algorithm: SignatureAlgorithm,
  digest: DigestAlgorithm,
  document: SignedDocument,
): Promise<boolean> {
  const { isGostSignature, readGostKey } = await import('./gost-signature.ts');
  const { key: info, keyAlgorithm } = certificateParts(certificate);
  if (!isGostDigest(digest) || keyAlgorithm !== gostDigests[digest].key) throw doesNotFit();
  let key: ReturnType<typeof readGostKey>;
  try {
    key = readGostKey(info);
  } catch (error) {
    throw new Problem(`The key of the signer's certificate cannot be used: ${(error as Error).message}.`);
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
  if (!key?.asymmetricKeyType || !keyTypes.includes(key.asymmetricKeyType) || isGostDigest(digest)) throw doesNotFit();
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
