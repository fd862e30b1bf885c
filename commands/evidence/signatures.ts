import { createHash, type X509Certificate } from 'node:crypto';
import type { DigestAlgorithm } from '@business-loan-orders/detached-signatures/create-signature';
import { readCmsSignature } from '@business-loan-orders/detached-signatures/read-signature';
import {
  checkSignature,
  type SignedDocument,
  type Verdict,
} from '@business-loan-orders/detached-signatures/signature-gate';
import { bounded } from '../../core/limits.ts';
import { type ArchiveFile, type ArchiveFiles, contentOf } from './archive.ts';
import type { Signs } from './contents.ts';

type CheckedDocument = Pick<SignedDocument, 'digest' | 'open'>;

/** Signers are checked one by one, and may each need a reading of the document. An order has one or two for a document. */
const MOST_SIGNERS = { document: 20, archive: 400 };

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
  const documents = new Map<string, CheckedDocument & { signers: number }>();
  let signers = 0;
  for (const { path, signs } of listed) {
    if (!signs) continue;
    const add = (verdict: Verdict, certificate?: X509Certificate) =>
      checked.push({ path, ...signs, verdict, certificate });
    const file = files.get(signs.document);
    const bytes = await contentOf(files.get(path));
    const document = documents.get(signs.document) ?? (file && { ...documentOf(file), signers: 0 });
    if (!bytes || !document) {
      add({ passed: false, problem: 'It cannot be checked: it or its document is missing, or it is too large.' });
      continue;
    }
    documents.set(signs.document, document);
    if (document.signers >= MOST_SIGNERS.document || signers >= MOST_SIGNERS.archive) {
      const whose = document.signers >= MOST_SIGNERS.document ? 'document' : 'archive';
      add({
        passed: true,
        note: `${whose === 'document' ? 'its' : 'the'} ${whose} has more than ${MOST_SIGNERS[whose]} signatures.`,
      });
      continue;
    }
    const { count, certificates } = readSigners(bytes);
    document.signers += count;
    signers += count;
    add(await checkDetached(bytes, document, new Date(signs.sentAt)), certificates[0]);
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

/** How many signers a signature has, at least one, and its certificates, those of its signers first. None if it cannot be read. */
export function readSigners(bytes: Uint8Array): { count: number; certificates: X509Certificate[] } {
  try {
    const { signers, certificates } = readCmsSignature(bytes);
    const own = signers.flatMap(({ certificate }) => certificate ?? []);
    return { count: Math.max(1, signers.length), certificates: [...new Set([...own, ...certificates])] };
  } catch {
    return { count: 1, certificates: [] };
  }
}

/** A name of a certificate on one line, such as `O=Partner, CN=Signer`. Longer than any real one, it is cut. */
export function oneLine(name: string): string {
  return bounded(name.replaceAll('\n', ', '), 500);
}
