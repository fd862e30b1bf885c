import type { X509Certificate } from 'node:crypto';
import { allowsKeyUse, certificateParts } from './certificate-parts.ts';
import { dateProblem, issuedBy } from './certificate-path.ts';
import { unfitSigner } from './certificate-rules.ts';
import { SIGNATURE_LIMITS } from './elements.ts';
import { type CmsSignature, type CmsSigner, readCmsSignature, toBinarySignature } from './read-signature.ts';
import { InvalidSignature, type Reason, reason } from './reasons.ts';
import type { RevocationList } from './revocation.ts';
import { type DigestAlgorithm, isGostDigest } from './signature-algorithms.ts';
import { type SignedDocument, uncheckedReason } from './signer-check.ts';
import { type SignerName, signerName } from './signer-name.ts';
import { checkTimeStamp, type TimeStamp } from './time-stamp.ts';

export type { SignedDocument } from './signer-check.ts';

/** The result of a check: if it did not pass, what is wrong and how to fix it. */
export type Verdict = PassedVerdict | ({ passed: false } & Reason);

export interface PassedVerdict {
  passed: true;
  /** The binary signature, to store and to send. PEM and Base64 are decoded. */
  bytes: Uint8Array;
  signers: SignerOfVerdict[];
  /** Why a signature could not be checked, although the gate accepts it. Warn prominently. */
  unchecked?: Reason;
  /** Why the gate's lists do not show whether a signer's certificate was revoked. */
  unknownRevocation?: Reason;
  /** What else was not checked. */
  notes: Reason[];
}

export interface SignerOfVerdict extends SignerName {
  timeStamp?: TimeStamp;
}

export interface Gate {
  /** `strict` refuses signatures that cannot be checked, regardless of `unchecked`, or whose revocation status is unknown. */
  level: 'check' | 'strict';
  /** The authorities that may issue signers' certificates. If empty, issuers are not checked. */
  authorities: readonly X509Certificate[];
  /** What to do with a signature whose algorithm is not supported. Its certificate must still be trusted. Default: `refuse`. */
  unchecked?: 'accept' | 'refuse';
  /**
   * The authorities whose time stamps are trusted. An expired certificate is accepted if such a time stamp shows that it was valid when it
   * signed. Default: none.
   */
  timeStampAuthorities?: readonly X509Certificate[];
  /** From `readRevocationLists`. A `strict` gate needs a current list for each signer. Default: revocation is not checked. */
  revocationLists?: readonly RevocationList[];
  /** Fetches more lists for a certificate that `authorities` issued. */
  moreLists?(certificate: X509Certificate, issuers: readonly X509Certificate[]): Promise<readonly RevocationList[]>;
  /** If revocation remains unknown. `wait` refuses as `TRY_LATER`: check again later. Default: `accept`, unless `strict`. */
  ifUnknown?: 'accept' | 'wait' | 'refuse';
  now: Date;
}

/**
 * Checks a detached CMS signature over a document (RFC 5652, section 5.6). It must be readable and have the document's
 * digest. Every signer's signature must be valid. Every signer's certificate must be valid now, and issued by one of the
 * gate's authorities.
 */
export function checkSignature(bytes: Uint8Array, document: SignedDocument, gate: Gate): Promise<Verdict> {
  return openSignature(bytes, gate)(document);
}

/** Parses a signature. The result checks it against one or more documents. */
export function openSignature(bytes: Uint8Array, gate: Gate): (document: SignedDocument) => Promise<Verdict> {
  try {
    const signature = readSignature(toBinarySignature(bytes));
    const opened = open(signature, gate);
    return (document) => checkSigners(opened, document).catch(refusal);
  } catch (error) {
    const refused = refusal(error);
    return async () => refused;
  }
}

function open(signature: CmsSignature, gate: Gate): OpenSignature {
  const tries = { left: SIGNATURE_LIMITS.gostIssuers as number };
  const problems: InvalidSignature[] = [];
  const { certificates } = signature;
  const trusted = new Map<number, Promise<Set<X509Certificate>>>();
  const trustedAt = (time: Date) => {
    const found = trusted.get(time.getTime()) ?? issuedBy(gate.authorities, certificates, time, tries, problems);
    trusted.set(time.getTime(), found);
    return found;
  };
  const timeStampOf = (signer: CmsSigner) => checkTimeStamp(signer, gate.timeStampAuthorities ?? [], tries);
  return { ...signature, gate, trustedAt, problems, timeStampOf };
}

function refusal(error: unknown): Verdict {
  if (error instanceof InvalidSignature) return { passed: false, ...error.reason };
  throw error;
}

type OpenSignature = CmsSignature & {
  gate: Gate;
  /** The signature's certificates that lead to one of the gate's authorities at this time. */
  trustedAt: (time: Date) => Promise<ReadonlySet<X509Certificate>>;
  /** Why others do not. */
  problems: InvalidSignature[];
  timeStampOf: (signer: CmsSigner) => ReturnType<typeof checkTimeStamp>;
};

const NO_AUTHORITIES = reason('NO_CERTIFICATE_CHAIN_FOUND.unchecked');

/** Checks the signers in order. The first problem ends the check. */
async function checkSigners(signature: OpenSignature, document: SignedDocument): Promise<Verdict> {
  const { gate, bytes } = signature;
  const signers: SignerOfVerdict[] = [];
  const notes = new Set(gate.authorities.length > 0 ? [] : [NO_AUTHORITIES]);
  const unknown: Pick<PassedVerdict, 'unchecked' | 'unknownRevocation'> = {};
  const read = readingOnce(document);
  for (const one of signature.signers) {
    const { signer, note, ...left } = await checkSigner(one, signature, read);
    Object.assign(unknown, left);
    if (note !== undefined) notes.add(note);
    signers.push(signer);
  }
  return { passed: true, bytes, signers, ...unknown, notes: [...notes] };
}

async function checkSigner(signer: CmsSigner, signature: OpenSignature, document: SignedDocument) {
  const { gate } = signature;
  const certificate = certificateOf(signer);
  const isExpired =
    dateProblem(certificate, gate.now)?.reason.code === 'EXPIRED' && gate.timeStampAuthorities !== undefined;
  if (!isExpired) requireDates(certificate, gate.now);
  const unchecked = await uncheckedReason({ ...signer, certificate }, signature, document);
  const timeStamp = await signature.timeStampOf(signer);
  const [stamp, note] = timeStamp && 'code' in timeStamp ? [undefined, timeStamp] : [timeStamp, undefined];
  // An untrusted time stamp is ignored.
  const time = isExpired && stamp?.isTrusted ? stamp.at : gate.now;
  requireDates(certificate, time);
  if (gate.authorities.length > 0 && !(await signature.trustedAt(time)).has(certificate))
    throw signature.problems[0] ?? new InvalidSignature('NO_CERTIFICATE_CHAIN_FOUND');
  if (gate.unchecked !== 'accept') refuse(unchecked);
  const revocation = await revocationNote(certificate, signature, time);
  if (revocation && gate.ifUnknown === 'wait') throw new InvalidSignature('TRY_LATER', { why: revocation });
  if (gate.ifUnknown === 'refuse') refuse(revocation);
  if (gate.level === 'strict') refuse(unchecked ?? revocation);
  return {
    signer: { ...signerName(certificate), ...(stamp && { timeStamp: stamp }) },
    ...(unchecked !== undefined && { unchecked }),
    ...(revocation !== undefined && { unknownRevocation: revocation }),
    note,
  };
}

function refuse(why: Reason | undefined): void {
  if (why) throw new InvalidSignature('SIG_CONSTRAINTS_FAILURE.notAccepted', { why });
}

/** @throws InvalidSignature if the certificate was revoked. */
async function revocationNote(
  certificate: X509Certificate,
  { gate: { revocationLists, moreLists, authorities, now }, certificates, trustedAt }: OpenSignature,
  time: Date,
): Promise<Reason | undefined> {
  if (!revocationLists) return undefined;
  const issuers = [...authorities, ...(authorities.length > 0 ? await trustedAt(time) : certificates)];
  const { revocationOf } = await import('./revocation.ts');
  const more = authorities.length > 0 ? await moreLists?.(certificate, issuers) : undefined;
  const found = await revocationOf(certificate, [...revocationLists, ...(more ?? [])], issuers, now);
  if (found instanceof Date) throw new InvalidSignature('REVOKED', { at: found.toISOString() });
  return found;
}

/**
 * Bytes. A function would time out while it computes the Streebog digest of a larger document: with a third of a processor, it processes
 * about 5 MiB/s.
 */
const LARGEST_FOR_GOST = 256 * 1024 * 1024;

/** A signer without signed attributes signed the document itself, so the document is read again for each of them. */
const MOST_READINGS = 4;

/** Computes each digest of the document only once, and limits how often the document is read. */
function readingOnce(document: SignedDocument): SignedDocument {
  const digests = new Map<DigestAlgorithm, Promise<Buffer>>();
  const digest = async (algorithm: DigestAlgorithm) => {
    const { size = 0 } = document;
    if (isGostDigest(algorithm) && size > LARGEST_FOR_GOST)
      throw new InvalidSignature('SIG_CONSTRAINTS_FAILURE.size', { size, most: LARGEST_FOR_GOST / 2 ** 20 });
    const known = digests.get(algorithm) ?? document.digest(algorithm);
    digests.set(algorithm, known);
    return known;
  };
  let readings = 0;
  const open = async () => {
    readings += 1;
    if (readings > MOST_READINGS)
      throw new InvalidSignature('SIG_CONSTRAINTS_FAILURE.signers', { most: MOST_READINGS });
    return document.open();
  };
  return { ...document, digest, open };
}

function readSignature(bytes: Uint8Array): CmsSignature {
  let signature: CmsSignature;
  try {
    signature = readCmsSignature(bytes);
  } catch (error) {
    throw error instanceof InvalidSignature ? error : new InvalidSignature('FORMAT_FAILURE.damaged');
  }
  if (!signature.isDetached) throw new InvalidSignature('FORMAT_FAILURE.attached');
  if (signature.signers.length === 0) throw new InvalidSignature('FORMAT_FAILURE.noSigner');
  return signature;
}

/** @throws InvalidSignature if the signer's certificate is missing, or is not for signing documents. */
function certificateOf({ certificate }: CmsSigner): X509Certificate {
  if (!certificate) throw new InvalidSignature('NO_SIGNING_CERTIFICATE_FOUND');
  const parts = certificateParts(certificate);
  if (!allowsKeyUse(parts, 'digitalSignature', 'nonRepudiation'))
    throw new InvalidSignature('CHAIN_CONSTRAINTS_FAILURE.keyUsage');
  const problem = unfitSigner(parts);
  if (problem) throw problem;
  return certificate;
}

function requireDates(certificate: X509Certificate, time: Date): void {
  const problem = dateProblem(certificate, time);
  if (problem) throw problem;
}
