import { createHash, type X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { issuedBy } from '@business-loan-orders/detached-signatures/certificate-path';
import {
  createDetachedSignature,
  type DigestAlgorithm,
} from '@business-loan-orders/detached-signatures/create-signature';
import { digestOf } from '@business-loan-orders/detached-signatures/digest';
import { binaryOf, readCmsSignature } from '@business-loan-orders/detached-signatures/read-signature';
import {
  checkSignature,
  type PassedVerdict,
  type Verdict,
} from '@business-loan-orders/detached-signatures/signature-gate';
import { bounded } from '../../core/bounded.ts';
import { isAccessDenied } from '../failure.ts';
import type { Connection } from '../stage/connection.ts';
import { clientSettings, type PlaceOptions } from '../stage/place.ts';
import { Refusal } from '../text.ts';
import { type ArchiveFault, type ArchiveFile, contentOf } from './archive.ts';
import { FORMAT, type ListedFile, MANIFEST_SIGNATURE, type Manifest } from './manifest.ts';

export const CHAIN = 'signing/evidence-certificate-chain.pem';
const LARGEST_CHAIN = 1024 * 1024;

/** What the signature of a manifest signs: the format in a line of its own, then the manifest. No document may begin with this line. */
export function signedBytes(manifest: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${FORMAT}\n`), manifest]);
}

const unusable = (problem: string) =>
  new Refusal(`${problem} No archive was written. Fix it (docs/evidence.md, "Who may sign"), or give --unsigned.`);

/**
 * A function that signs a manifest with the stage's key for evidence, in detached CMS; undefined if the stage has no such key.
 * @throws Refusal when the stage has a key that cannot be used.
 */
export async function manifestSigner(place: PlaceOptions, { outputs, buckets }: Connection) {
  const keyId = outputs('EvidenceKey', '');
  if (keyId === '') return undefined;
  const { KMSClient } = await import('@aws-sdk/client-kms');
  const { openKmsKey } = await import('../../core/signing/kms-key.ts');
  const key = await openKmsKey({
    client: new KMSClient(clientSettings(place)),
    keyId,
    chain: CHAIN,
    readChain: async () => (await (await buckets()).intakeFile(CHAIN, LARGEST_CHAIN))?.text,
    unusable,
  }).catch((error: Error) => {
    // Only people with the policy `evidence-signer` may use the key. Others can write an archive without a signature.
    throw isAccessDenied(error) ? unusable("These credentials may not use the stage's key for evidence.") : error;
  });
  return (manifest: string): Promise<Uint8Array> => {
    const bytes = signedBytes(Buffer.from(manifest));
    const digest = createHash(key.digestAlgorithm).update(bytes).digest();
    return createDetachedSignature({ ...key, digest, signingTime: new Date() });
  };
}

/**
 * Checks the signature of a manifest.
 * @param signature undefined if the archive has none.
 * @param trusted the signer's certificate must be one of these or issued by one of them. If the list is empty, any is accepted.
 * @returns who signed it. Undefined if it is not signed, or if the signature is wrong.
 */
export async function checkManifestSignature(
  { about: { signed, writtenAt }, content }: Pick<Manifest, 'about'> & { content: Buffer },
  signature: Buffer | undefined,
  trusted: readonly X509Certificate[],
  faults: ArchiveFault[],
): Promise<X509Certificate | undefined> {
  const wrong = (fault: ArchiveFault['fault'], message: string) =>
    void faults.push({ file: MANIFEST_SIGNATURE, fault, message });
  if (!signature && (signed || trusted.length > 0))
    return wrong('manifest signature missing', 'The manifest says that it is signed, or you gave a certificate.');
  if (!signature) return undefined;
  const now = new Date(writtenAt);
  const verdict = await checkDetached(signature, { open: async () => Readable.from([signedBytes(content)]) }, now);
  const certificates = certificatesOf(signature);
  const [signer] = certificates;
  const problem = verdict.passed ? verdict.unchecked : verdict.problem;
  if (problem !== undefined || !signer)
    return wrong('manifest signature wrong', `The manifest was changed, or its signature was. ${problem}`);
  if (trusted.length === 0 || (await issuedBy(trusted, certificates, now)).has(signer)) return signer;
  const who = `It was signed by ${oneLine(signer.subject)}`;
  return wrong('certificate wrong', `${who}, whose certificate is not the one of --cert, nor issued by it.`);
}

/** An order has one or two signatures for a document. Each may need several readings of the document. */
const MOST_SIGNATURES = 20;

/** A signature that was sent, and the result of its check. */
export interface CheckedSignature {
  path: string;
  /** The document that it signs, and when it was sent. */
  document: string;
  sentAt: string;
  verdict: Pick<PassedVerdict, 'passed' | 'unchecked'> | Extract<Verdict, { passed: false }>;
  /** Of its first signer; undefined if the signature cannot be read. */
  certificate: X509Certificate | undefined;
}

/**
 * Checks every signature that was sent against its document in the archive, as of the time when it was sent. `evidence` and
 * `evidence --verify` both use this.
 */
export async function checkSignatures(
  listed: readonly ListedFile[],
  files: ReadonlyMap<string, ArchiveFile>,
): Promise<CheckedSignature[]> {
  const checked: CheckedSignature[] = [];
  const counts = new Map<string, number>();
  for (const { path, signs } of listed) {
    if (!signs) continue;
    const document = files.get(signs.document);
    const bytes = await contentOf(files.get(path));
    const count = (counts.get(signs.document) ?? 0) + 1;
    counts.set(signs.document, count);
    const unchecked = `its document has more than ${MOST_SIGNATURES} signatures.`;
    let verdict: CheckedSignature['verdict'] = { passed: true, unchecked };
    if (!bytes || !document)
      verdict = { passed: false, problem: 'It cannot be checked: it or its document is missing, or it is too large.' };
    else if (count <= MOST_SIGNATURES) verdict = await checkDetached(bytes, document, new Date(signs.sentAt));
    checked.push({ path, ...signs, verdict, certificate: bytes && certificatesOf(bytes)[0] });
  }
  return checked;
}

/** Checks a detached CMS signature, whose certificate must have been valid at `now`. It does not judge the authority. */
function checkDetached(bytes: Uint8Array, { open }: Pick<ArchiveFile, 'open'>, now: Date): Promise<Verdict> {
  const digest = async (algorithm: DigestAlgorithm) => digestOf(await open(), algorithm);
  const document = { open, digest, describeOwner: async () => undefined };
  return checkSignature(bytes, document, { level: 'check', authorities: [], unchecked: 'accept', now });
}

/** The certificates of a signature, those of its signers first. None if it cannot be read. */
function certificatesOf(bytes: Uint8Array): X509Certificate[] {
  try {
    const { signers, certificates } = readCmsSignature(binaryOf(bytes));
    return [...new Set([...signers.flatMap(({ certificate }) => certificate ?? []), ...certificates])];
  } catch {
    return [];
  }
}

/** A name of a certificate on one line, such as `O=Partner, CN=Signer`. A name that is longer than any real one is cut. */
export function oneLine(name: string): string {
  return bounded(name.replaceAll('\n', ', '), 500);
}
