import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ArchiveFile, OpenArchive } from './archive-reader.ts';
import { checkDetached, LARGEST_SIGNATURE } from './detached-signature.ts';
import { digestOfStream } from './digests.ts';
import type { Fault } from './fault.ts';
import { MANIFEST, MANIFEST_SIGNATURE, type Manifest, type ManifestFile } from './manifest.ts';

type Files = OpenArchive['files'];

/** The files that were changed, removed or added, by the manifest. Those that could not be read have a fault already. */
export async function fileFaults(
  { files: listed, about }: Manifest,
  { files, unread }: Pick<OpenArchive, 'files' | 'unread'>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const known = new Set([MANIFEST, ...(about.signed ? [MANIFEST_SIGNATURE] : [])]);
  const seen = new Set<string>();
  for (const expected of listed) {
    if (seen.has(expected.path)) {
      faults.push(listedTwice(expected.path));
      continue;
    }
    seen.add(expected.path);
    known.add(expected.path);
    if (unread.has(expected.path)) continue;
    const file = files.get(expected.path);
    const fault = file ? await contentFault(file, expected) : removed(expected.path);
    if (fault) faults.push(fault);
  }
  for (const path of files.keys()) if (!known.has(path)) faults.push(added(path));
  return faults;
}

function listedTwice(file: string): Fault {
  return { file, fault: 'name twice', message: 'The manifest lists it more than once.' };
}

function removed(file: string): Fault {
  return { file, fault: 'removed', message: 'The manifest lists it, and the archive does not hold it.' };
}

function added(file: string): Fault {
  const name = file.split('/').at(-1)?.toLowerCase();
  if (name === MANIFEST)
    return { file, fault: 'second manifest', message: 'The manifest does not list it. Only manifest.json counts.' };
  return { file, fault: 'added', message: 'The manifest does not list it.' };
}

async function contentFault(file: ArchiveFile, { path, size, sha256 }: ManifestFile): Promise<Fault | undefined> {
  const hash = createHash('sha256');
  let sum = 0;
  for await (const chunk of file.open()) {
    hash.update(chunk as Buffer);
    sum = crc32(chunk as Buffer, sum);
  }
  const found = hash.digest('hex');
  if (found === sha256 && file.size === size) {
    if (sum === file.crc32) return undefined;
    return {
      file: path,
      fault: 'changed',
      message: 'Its bytes are right, but the checksum beside them in the archive is not.',
    };
  }
  const message = `It has ${file.size} bytes and SHA-256 ${found}; the manifest says ${size} bytes and ${sha256}.`;
  return { file: path, fault: 'changed', message };
}

/** What came of the signatures that were checked again. */
export interface SignatureResults {
  faults: Fault[];
  valid: number;
  /** What could not be checked here, such as another algorithm. */
  notes: string[];
}

/** Checks every signature that was sent against its document in the archive, as of the time when it was sent. */
export async function checkSignatures({ files: listed }: Manifest, files: Files): Promise<SignatureResults> {
  const results: SignatureResults = { faults: [], valid: 0, notes: [] };
  for (const { path, signs } of listed) {
    if (!signs) continue;
    const problem = await checkOne(files.get(path), files.get(signs.document), signs.sentAt);
    if (problem === undefined) results.valid += 1;
    else if ('note' in problem) results.notes.push(`${path} was not checked: ${problem.note}`);
    else results.faults.push({ file: path, fault: 'detached signature wrong', message: problem.problem });
  }
  return results;
}

async function checkOne(signature: ArchiveFile | undefined, document: ArchiveFile | undefined, sentAt: string) {
  if (!signature || !document) return { problem: 'It cannot be checked: it or its document is missing.' };
  if (signature.size > LARGEST_SIGNATURE)
    return { problem: `It has ${signature.size} bytes, more than a signature may have.` };
  const verdict = await checkDetached(
    await contentOf(signature),
    { digest: (algorithm) => digestOfStream(document.open(), algorithm), open: async () => document.open() },
    new Date(sentAt),
  );
  if (!verdict.passed) return { problem: verdict.problem };
  return verdict.note === undefined ? undefined : { note: verdict.note };
}

/** The whole content of a small file. */
export async function contentOf(file: ArchiveFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.open()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
