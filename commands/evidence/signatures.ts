import { createHash, type X509Certificate } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  createDetachedSignature,
  type DigestAlgorithm,
} from '@business-loan-orders/detached-signatures/create-signature';
import { readCmsSignature, toBinarySignature } from '@business-loan-orders/detached-signatures/read-signature';
import { checkSignature, type Verdict } from '@business-loan-orders/detached-signatures/signature-gate';
import { bounded } from '../../core/bounded.ts';
import { inWords } from '../../core/messages/english.ts';
import { digestOf, told } from '../../core/signing/gate.ts';
import type { StageConnection } from '../shared/connection.ts';
import { isAccessDenied } from '../shared/failure.ts';
import { clientSettings } from '../shared/place.ts';
import { refusal } from '../shared/refusals.ts';
import type { ListedFile } from './archive.ts';

export const CHAIN = 'signing/evidence-certificate-chain.pem';
const LARGEST_CHAIN = 1024 * 1024;

/**
 * A function that signs a manifest with the stage's key for evidence, in detached CMS; undefined if the stage has no such key.
 * @throws Refusal when the stage has a key that cannot be used.
 */
export async function manifestSigner({ place, outputs, buckets }: StageConnection) {
  const keyId = outputs('EvidenceKey', '');
  if (keyId === '') return undefined;
  const { KMSClient } = await import('@aws-sdk/client-kms');
  const { openKmsKey } = await import('../../core/signing/kms-key.ts');
  const key = await openKmsKey({
    client: new KMSClient(clientSettings(place)),
    keyId,
    chain: CHAIN,
    readChain: async () => (await (await buckets()).intakeFile(CHAIN, LARGEST_CHAIN))?.text,
    unusable: (code) => refusal('keyUnusable', { why: inWords(...code) }),
  }).catch((error: Error) => {
    // Only people with the policy `evidence-signer` may use the key. Others can write an archive without a signature.
    throw isAccessDenied(error) ? refusal('keyNotAllowed') : error;
  });
  return (manifest: string): Promise<Uint8Array> => {
    const digest = createHash(key.digestAlgorithm).update(manifest).digest();
    return createDetachedSignature({ ...key, digest, signingTime: new Date() });
  };
}

/** A signature that was sent, and the result of its check. */
export interface CheckedSignature {
  path: string;
  /** The document that it signs, and when it was sent. */
  document: string;
  sentAt: string;
  verdict: Verdict;
  /** The first signer's certificate; undefined if the signature cannot be read. */
  certificate: X509Certificate | undefined;
}

/** The authority is not checked. */
const GATE = { level: 'check', authorities: [], unchecked: 'accept' } as const;

/** Checks every sent signature against its document in the archive, as of the time of sending. Adds the verdicts to `listed`. */
export async function checkSignatures(
  listed: readonly ListedFile[],
  files: ReadonlyMap<string, () => Promise<Readable>>,
): Promise<CheckedSignature[]> {
  const checked: CheckedSignature[] = [];
  const digests = new Map(listed.map(({ path, sha256 }) => [path, { sha256 }]));
  for (const { path, signs } of listed) {
    const [open, openDocument] = [files.get(path), files.get(signs?.document ?? '')];
    if (!signs || !open || !openDocument) continue;
    const bytes = await buffer(await open());
    const digest = (algorithm: DigestAlgorithm) =>
      digestOf(digests.get(signs.document) ?? {}, algorithm, async () => openDocument());
    const document = { open: openDocument, digest, findOwner: async () => undefined };
    const verdict = await checkSignature(bytes, document, { ...GATE, now: new Date(signs.sentAt) });
    const why = verdict.passed ? verdict.unchecked : verdict;
    signs.verdict = why ? told(why) : { indication: 'TOTAL-PASSED' };
    checked.push({ path, ...signs, verdict, certificate: signerOf(bytes) });
  }
  return checked;
}

function signerOf(bytes: Uint8Array): X509Certificate | undefined {
  try {
    return readCmsSignature(toBinarySignature(bytes)).signers[0]?.certificate;
  } catch {
    return undefined;
  }
}

/** A name of a certificate on one line, such as `O=Partner, CN=Signer`. Excessively long names are truncated. */
export function oneLine(name: string): string {
  return bounded(name.replaceAll('\n', ', '), 500);
}
