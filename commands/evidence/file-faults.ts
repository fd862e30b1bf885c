import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { ArchiveFile, OpenArchive } from './archive-reader.ts';
import { type CheckedDocument, checkDetached, LARGEST_SIGNATURE } from './detached-signature.ts';
import { digestOfStream } from './digests.ts';
import type { Fault } from './fault.ts';
import { MANIFEST, MANIFEST_SIGNATURE, type Manifest, type ManifestFile } from './manifest.ts';

type Files = OpenArchive['files'];

/** The files that were changed, removed or added, by the manifest. */
export async function fileFaults({ files: listed, about }: Manifest, files: Files): Promise<Fault[]> {
  const byPath = new Map(listed.map((file) => [file.path, file]));
  const faults: Fault[] = [];
  for (const one of listed) {
    const file = one.path;
    if (!files.has(file))
      faults.push({ file, fault: 'removed', message: 'The manifest lists it, and the archive does not hold it.' });
    if (byPath.get(file) !== one)
      faults.push({ file, fault: 'name twice', message: 'The manifest lists it more than once.' });
  }
  const unlisted = new Set([MANIFEST, ...(about.signed ? [MANIFEST_SIGNATURE] : [])]);
  for (const file of files.values()) {
    const expected = byPath.get(file.path);
    const fault = expected || unlisted.has(file.path) ? await contentFault(file, expected) : added(file.path);
    if (fault) faults.push(fault);
  }
  return faults;
}

function added(file: string): Fault {
  const name = file.split('/').at(-1)?.toLowerCase();
  if (name === MANIFEST)
    return { file, fault: 'second manifest', message: 'The manifest does not list it. Only manifest.json counts.' };
  return { file, fault: 'added', message: 'The manifest does not list it.' };
}

/** @param expected undefined for the manifest and its signature, which have a checksum only. */
async function contentFault(file: ArchiveFile, expected: ManifestFile | undefined): Promise<Fault | undefined> {
  const hash = createHash('sha256');
  let sum = 0;
  for await (const chunk of file.open()) {
    hash.update(chunk as Buffer);
    sum = crc32(chunk as Buffer, sum);
  }
  const found = hash.digest('hex');
  const changed = (message: string): Fault => ({ file: file.path, fault: 'changed', message });
  if (expected && (found !== expected.sha256 || file.size !== expected.size)) {
    const { size, sha256 } = expected;
    return changed(`It has ${file.size} bytes and SHA-256 ${found}; the manifest says ${size} bytes and ${sha256}.`);
  }
  return sum === file.crc32 ? undefined : changed('The checksum beside it in the archive is that of other bytes.');
}

/** What came of the signatures that were checked again. */
export interface SignatureResults {
  faults: Fault[];
  valid: number;
  /** What could not be checked here, such as another algorithm. */
  notes: string[];
}

/** Signers are checked one by one, and may each need a reading of the document. An order has one or two for a document. */
const MOST_SIGNERS = { document: 20, archive: 400 };

/** Checks every signature that was sent against its document in the archive, as of the time when it was sent. */
export async function checkSignatures({ files: listed }: Manifest, files: Files): Promise<SignatureResults> {
  const results: SignatureResults = { faults: [], valid: 0, notes: [] };
  if (new Set(listed.map(({ path }) => path)).size < listed.length) {
    results.notes.push('No signature was checked: the manifest lists a file more than once.');
    return results;
  }
  const documents = new Map<string, CountedDocument>();
  let signers = 0;
  for (const { path, signs } of listed) {
    if (!signs) continue;
    const document = documents.get(signs.document) ?? countedDocument(files.get(signs.document));
    documents.set(signs.document, document);
    const crowded = (['document', 'archive'] as const).find(
      (one) => (one === 'document' ? document.signers : signers) >= MOST_SIGNERS[one],
    );
    if (crowded) {
      const whose = crowded === 'document' ? 'its document' : 'the archive';
      results.notes.push(`${path} was not checked: ${whose} has more than ${MOST_SIGNERS[crowded]} signatures.`);
      continue;
    }
    const before = document.signers;
    const problem = await checkOne(files.get(path), document, signs.sentAt);
    // What cannot be read has no signer, and is read all the same.
    document.signers = Math.max(document.signers, before + 1);
    signers += document.signers - before;
    if (problem === undefined) results.valid += 1;
    else if ('note' in problem) results.notes.push(`${path} was not checked: ${problem.note}`);
    else results.faults.push({ file: path, fault: 'detached signature wrong', message: problem.problem });
  }
  return results;
}

/** A document that counts the signers it was checked for: each asks for its digest, or for its bytes. */
interface CountedDocument extends CheckedDocument {
  isThere: boolean;
  signers: number;
}

function countedDocument(file: ArchiveFile | undefined): CountedDocument {
  const digests = new Map<string, Promise<Buffer>>();
  const open = () => file?.open() ?? Readable.from([]);
  const counted: CountedDocument = {
    isThere: file !== undefined,
    signers: 0,
    digest: (algorithm) => {
      counted.signers += 1;
      const digest = digests.get(algorithm) ?? digestOfStream(open(), algorithm);
      digests.set(algorithm, digest);
      return digest;
    },
    open: async () => {
      counted.signers += 1;
      return open();
    },
  };
  return counted;
}

async function checkOne(signature: ArchiveFile | undefined, document: CountedDocument, sentAt: string) {
  if (!signature || !document.isThere) return { problem: 'It cannot be checked: it or its document is missing.' };
  if (signature.size > LARGEST_SIGNATURE)
    return { problem: `It has ${signature.size} bytes, more than a signature may have.` };
  const verdict = await checkDetached(await contentOf(signature), document, new Date(sentAt));
  if (!verdict.passed) return { problem: verdict.problem };
  return verdict.note === undefined ? undefined : { note: verdict.note };
}

/** The whole content of a small file. */
export async function contentOf(file: ArchiveFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.open()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
