import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../refusal.ts';
import type { StagedDocument } from '../stage/record.ts';

/** What became of a document: it was saved, or the same bytes were there. */
export type Saved = 'saved' | 'there already';

/**
 * Saves a document as `name` in the folder. Until it is whole and has its digest, it has another name, which ends with `.part`.
 * A file that is there is never overwritten.
 * @throws Refusal when another file has the name, the document is gone or differs from the record, or the folder cannot be written.
 */
export async function saveDocument(
  folder: string,
  name: string,
  document: StagedDocument,
  openDocument: () => Promise<Readable | undefined>,
): Promise<Saved> {
  const path = join(folder, name);
  if (await isThere(path, document)) return 'there already';
  const body = await openDocument();
  if (!body) throw new Refusal('This version of it is gone from staging: it was not saved.');
  const part = join(folder, `.${name}.${randomUUID().slice(0, 8)}.part`);
  try {
    const sha256 = await writeNew(part, body);
    if (sha256 !== document.sha256) {
      throw new Refusal('It does not have the SHA-256 that the record gives: it was not saved. Ask who changed it.');
    }
    await putInPlace(part, path);
    return 'saved';
  } catch (error) {
    // A body that is left open would keep the command from ending.
    body.destroy();
    throw refusalOfFile(error, path);
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Whether the file is there with the document's bytes.
 * @throws Refusal when anything else has the name.
 */
async function isThere(path: string, { size, sha256 }: StagedDocument): Promise<boolean> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw refusalOfFile(error, path);
  });
  if (!found) return false;
  if (found.isFile() && found.size === size && (await digestOfFile(path)) === sha256) return true;
  throw new Refusal(`Another file is at ${path}: it was not overwritten. Move it away, or save into another folder.`);
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    throw refusalOfFile(error, path);
  }
  return hash.digest('hex');
}

/** Writes a new file, to the disk, and returns its SHA-256. */
async function writeNew(path: string, body: Readable): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await named(path, file.writeFile(chunk));
    }
    await named(path, file.sync());
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** Gives the file's path to a failure: Node does not, once the file is open. A failure of the network has none. */
export async function named<Done>(path: string, work: Promise<Done>): Promise<Done> {
  return work.catch((error: Error) => {
    throw Object.assign(error, { path });
  });
}

/** A link fails if the name was taken meanwhile; a rename would overwrite. Some file systems have no links. */
export async function putInPlace(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Refusal('A file of that name appeared meanwhile: it was not overwritten.');
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
    await rename(part, path);
  }
}

/** A failure of the file system in words, with the path that people know. Any other error is returned as it is. */
export function refusalOfFile(error: unknown, shown: string, nothing = 'it was not saved'): unknown {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (error instanceof Refusal || code === undefined || path === undefined || syscall === undefined) return error;
  return new Refusal(`${shown} can't be written (${code}): ${nothing}.`);
}
