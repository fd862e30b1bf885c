import { createHash, type X509Certificate } from 'node:crypto';
import type { DigestAlgorithm } from '@business-loan-orders/detached-signatures/create-signature';
import { readCmsSignature } from '@business-loan-orders/detached-signatures/read-signature';
import {
  checkSignature,
  type SignedDocument,
  type Verdict,
} from '@business-loan-orders/detached-signatures/signature-gate';
import { bounded } from '../../core/fixed-limits.ts';
import { type ArchiveFile, type ArchiveFiles, contentOf } from './archive.ts';
import type { Signs } from './contents.ts';

type CheckedDocument = Pick<SignedDocument, 'digest' | 'open'>;

/** An order has one or two signatures for a document. Each may need a reading of the document. */
const MOST_SIGNATURES = 20;

/** A signature that was sent, and what the check of it came to. */
export interface CheckedSignature extends Signs {
  path: string;
  verdict: Verdict;
  /** Of its first signer; undefined if it was not checked or cannot be read. */
  certificate?: X509Certificate | undefined;
}

/**
 * Checks every signature that was sent against its document in the archive, as of the time when it was sent. Writer and check of an
 * archive both ask this.
 */
export async function checkSignatures(
  listed: readonly { path: string; signs?: Signs | undefined }[],
  files: ArchiveFiles,
): Promise<CheckedSignature[]> {
  const checked: CheckedSignature[] = [];
  const documents = new Map<string, CheckedDocument & { count: number }>();
  for (const { path, signs } of listed) {
    if (!signs) continue;
    const file = files.get(signs.document);
    const bytes = await contentOf(files.get(path));
    const document = documents.get(signs.document) ?? (file && { ...documentOf(file), count: 0 });
    let verdict: Verdict = { passed: true, note: `its document has more than ${MOST_SIGNATURES} signatures.` };
    if (!bytes || !document)
      verdict = { passed: false, problem: 'It cannot be checked: it or its document is missing, or it is too large.' };
    else {
      documents.set(signs.document, document);
      document.count += 1;
      if (document.count <= MOST_SIGNATURES) verdict = await checkDetached(bytes, document, new Date(signs.sentAt));
    }
    checked.push({ path, ...signs, verdict, certificate: bytes && certificatesOf(bytes)[0] });
  }
  return checked;
}

/** A document whose digests are made once. */
function documentOf(file: ArchiveFile): CheckedDocument {
  const digests = new Map<DigestAlgorithm, Promise<Buffer>>();
  const digestOf = async (algorithm: DigestAlgorithm) => {
    const hash = createHash(algorithm);
    for await (const chunk of await file.open()) hash.update(chunk as Buffer);
    return hash.digest();
  };
  return {
    digest: (algorithm) => {
      const digest = digests.get(algorithm) ?? digestOf(algorithm);
      digests.set(algorithm, digest);
      return digest;
    },
    open: () => file.open(),
  };
}

/** Checks a detached CMS signature, whose certificate must have been valid at `now`. Whether to trust its authority, nobody can say here. */
export function checkDetached(bytes: Uint8Array, document: CheckedDocument, now: Date): Promise<Verdict> {
  const described = { ...document, describeOwner: async () => undefined };
  return checkSignature(bytes, described, { level: 'check', authorities: [], now });
}

/** The certificates of a signature, those of its signers first. None if it cannot be read. */
export function certificatesOf(bytes: Uint8Array): X509Certificate[] {
  try {
    const { signers, certificates } = readCmsSignature(bytes);
    return [...new Set([...signers.flatMap(({ certificate }) => certificate ?? []), ...certificates])];
  } catch {
    return [];
  }
}

/** A name of a certificate on one line, such as `O=Partner, CN=Signer`. Longer than any real one, it is cut. */
export function oneLine(name: string): string {
  return bounded(name.replaceAll('\n', ', '), 500);
}
