import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { refusalOfRead } from '../local-file.ts';
import { Refusal } from '../refusal.ts';
import {
  directory,
  END,
  type Entry,
  entriesIn,
  LARGEST_LIST,
  LAST_BYTES,
  listStart,
  localHeader,
  MOST_FILES,
} from './archive-format.ts';
import type { Fault } from './fault.ts';
import { folded, isSafePath } from './paths.ts';

/** A file in an archive that can be read. */
export interface ArchiveFile extends Entry {
  open(): Readable;
}

export interface OpenArchive {
  /** By path. */
  files: ReadonlyMap<string, ArchiveFile>;
  /** What is wrong with the archive itself. If anything is, its files are not to be believed. */
  faults: Fault[];
  close(): Promise<void>;
}

/**
 * Opens an archive and looks at its structure. Only what {@link ArchiveWriter} writes is accepted, to the last byte: whatever other
 * programs could read in another way is a fault. Nothing is ever unpacked.
 * @throws Refusal when the file cannot be read.
 */
export async function openArchive(path: string): Promise<OpenArchive> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const entries = await entriesOf(file, size);
    const [files, faults] = 'fault' in entries ? [new Map(), [entries]] : await filesIn(file, entries);
    return { files, faults, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw refusalOfRead(path, error, 'nothing was checked');
  }
}

const CHANGED = 'It was changed, or packed by another program: check the file that "loan-orders evidence" wrote.';

/** The entries of the archive, if its list is the one that we would write for them. */
async function entriesOf(file: FileHandle, size: number): Promise<Entry[] | Fault> {
  const last = await read(file, Math.max(0, size - LAST_BYTES), Math.min(size, LAST_BYTES));
  const start = listStart(last) ?? size;
  if (start + END > size) {
    const message = 'Its end is missing or damaged: it is truncated, has something behind it, or is no ZIP archive.';
    return { fault: 'not a whole archive', message };
  }
  const list = size - start > LARGEST_LIST ? undefined : await read(file, start, size - start);
  const entries = list ? entriesIn(list, size) : [];
  if (!list || entries.length > MOST_FILES) {
    return { fault: 'not a whole archive', message: 'Its list of files is larger than that of any order.' };
  }
  const message = `Its list of files is not written as we write it. ${CHANGED}`;
  return directory(entries).equals(list) ? entries : { fault: 'not as it was packed', message };
}

/** The files, if each has the header that we would write, and a name that is safe everywhere. */
async function filesIn(file: FileHandle, entries: readonly Entry[]): Promise<[OpenArchive['files'], Fault[]]> {
  const files = new Map<string, ArchiveFile>();
  const faults: Fault[] = [];
  const names = new Set<string>();
  let offset = 0;
  for (const entry of entries) {
    const header = localHeader(entry);
    const [start, { path, size }] = [offset + header.length, entry];
    offset = start + size;
    if (!header.equals(await read(file, start - header.length, header.length))) {
      const message = `What stands before its bytes is not what we write there. ${CHANGED}`;
      faults.push({ file: path, fault: 'not as it was packed', message });
    } else if (!isSafePath(path)) {
      const message = 'Unpacking it could write outside of the folder. Do not unpack the archive.';
      faults.push({ file: path, fault: 'unsafe name', message });
    } else if (names.has(folded(path)))
      faults.push({ file: path, fault: 'name twice', message: 'Two files have this name.' });
    names.add(folded(path));
    files.set(path, { ...entry, open: () => Readable.from(chunksOf(file, start, size)) });
  }
  return [files, faults];
}

/**
 * Opens a file, and does not wait for the writer of a pipe.
 * @throws Refusal when it is anything but a file, or cannot be read.
 */
async function openFile(path: string): Promise<FileHandle> {
  // Windows has no such flag, and no pipes among its files.
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK).catch((error: unknown) => {
    throw refusalOfRead(path, error, 'nothing was checked');
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Refusal(`${path} is no file: nothing was checked. Give the archive that "loan-orders evidence" wrote.`);
}

/** Bytes of a file; fewer if it ends before. */
async function read(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}

const CHUNK = 256 * 1024;

async function* chunksOf(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(CHUNK, length - at)), 0, null, start + at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
