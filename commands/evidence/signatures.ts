import { createHash, type X509Certificate } from 'node:crypto';
import type { DigestAlgorithm } from '../../packages/detached-signatures/create-signature.ts';
import { readCmsSignature } from '../../packages/detached-signatures/read-signature.ts';
import { checkSignature, type SignedDocument, type Verdict } from '../../packages/detached-signatures/signature-gate.ts';
import { bounded } from '../../core/limits.ts';
import type { ArchiveFile, ArchiveFiles } from './archive.ts';
import type { ListedFile } from './manifest.ts';

type CheckedDocument = Pick<SignedDocument, 'digest' | 'open'>;

/** More than any stage accepts. */
const LARGEST_SIGNATURE = 16 * 1024 * 1024;

/** Signers are checked one by one, and may each need a reading of the document. An order has one or two for a document. */
const MOST_SIGNERS = { document: 20, archive: 400 };

/** A signature that was sent, and what the check of it came to. */
export interface CheckedSignature {
  path: string;
  document: string;
  sentAt: string;
  verdict: Verdict;
  /** Of its first signer; undefined if it was not checked or cannot be read. */
  certificate: X509Certificate | undefined;
}

/**
 * Checks every signature that was sent against its document in the archive, as of the time when it was sent. Writer and check of an
 * archive both ask this.
 */
export async function checkSignatures(listed: readonly ListedFile[], files: ArchiveFiles): Promise<CheckedSignature[]> {
  const checked: CheckedSignature[] = [];
  const documents = new Map<string, CheckedDocument & { signers: number }>();
  let signers = 0;
  for (const { path, signs } of listed) {
    if (!signs) continue;
    const [signature, content] = [files.get(path), files.get(signs.document)];
    const result = (verdict: Verdict, certificate?: X509Certificate) =>
      void checked.push({ path, ...signs, verdict, certificate });
    const problem =
      !signature || !content
        ? 'It cannot be checked: it or its document is missing.'
        : signature.size > LARGEST_SIGNATURE && `It has ${signature.size} bytes, more than a signature may have.`;
    if (!signature || !content || problem) {
      result({ passed: false, problem: problem || '' });
      continue;
    }
    const document = documents.get(signs.document) ?? { ...documentOf(content), signers: 0 };
    documents.set(signs.document, document);
    const crowded = document.signers >= MOST_SIGNERS.document ? 'document' : 'archive';
    if (crowded === 'document' || signers >= MOST_SIGNERS.archive) {
      const whose = crowded === 'document' ? 'its document' : 'the archive';
      result({ passed: true, note: `${whose} has more than ${MOST_SIGNERS[crowded]} signatures.` });
      continue;
    }
    const bytes = await contentOf(signature);
    const { count, certificates } = readSigners(bytes);
    document.signers += count;
    signers += count;
    result(await checkDetached(bytes, document, new Date(signs.sentAt)), certificates[0]);
  }
  return checked;
}

/** A document whose digests are made once. */
function documentOf(file: ArchiveFile): CheckedDocument {
  const digests = new Map<DigestAlgorithm, Promise<Buffer>>();
  const digestOf = async (algorithm: DigestAlgorithm) => {
    const hash = createHash(algorithm);
    for await (const chunk of file.open()) hash.update(chunk as Buffer);
    return hash.digest();
  };
  return {
    digest: (algorithm) => {
      const digest = digests.get(algorithm) ?? digestOf(algorithm);
      digests.set(algorithm, digest);
      return digest;
    },
    open: async () => file.open(),
  };
}

/**
 * Checks a detached CMS signature with the certificate that it contains. The certificate must have been valid at `now`.
 * Whether its authority is to be trusted, the archive cannot say.
 */
export async function checkDetached(bytes: Uint8Array, document: CheckedDocument, now: Date): Promise<Verdict> {
  const described = { ...document, describeOwner: async () => undefined };
  return checkSignature(bytes, described, { level: 'check', authorities: [], now });
}

/** How many signers a signature has, at least one, and its certificates, those of its signers first. Empty if it cannot be read. */
export function readSigners(bytes: Uint8Array): { count: number; certificates: X509Certificate[] } {
  try {
    const { signers, certificates } = readCmsSignature(bytes);
    const own = signers.flatMap(({ certificate }) => (certificate ? [certificate] : []));
    return {
      count: Math.max(1, signers.length),
      certificates: [...own, ...certificates.filter((one) => !own.includes(one))],
    };
  } catch {
    return { count: 1, certificates: [] };
  }
}

/** A name of a certificate on one line, such as `O=Partner, CN=Signer`. Longer than any real one, it is cut. */
export function oneLine(name: string): string {
  return bounded(name.replaceAll('\n', ', '), 500);
}

/** The whole content of a small file. */
export async function contentOf(file: ArchiveFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.open()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
