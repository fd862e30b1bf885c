import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Entry, type Reader, ZipReader } from '@zip.js/zip.js/lib/zip-core-reader.js';
import { refusalOfRead } from '../local-file.ts';
import { Refusal } from '../refusal.ts';
import { layoutFaults, type Place } from './archive-layout.ts';
import type { Fault } from './fault.ts';
import { isSafePath } from './paths.ts';

/** A file in an archive that can be read. */
export interface ArchiveFile {
  path: string;
  /** Bytes. */
  size: number;
  /** The checksum that the archive gives. */
  crc32: number;
  open(): Readable;
}

export interface OpenArchive {
  /** By path. Of two files with the same path, the first. */
  files: ReadonlyMap<string, ArchiveFile>;
  /** What is wrong with the archive itself. A file with such a fault is not read. */
  faults: Fault[];
  /** The files that were not read, because the archive is faulty there. */
  unread: ReadonlySet<string>;
  close(): Promise<void>;
}

/**
 * An order has some hundred files. What is larger than this was made to fill the memory of whoever checks it: bytes of the list of
 * files, and files.
 */
const LARGEST_LIST = 32 * 1024 * 1024;
const MOST_FILES = 100_000;

/** The archive has a list of files that is too large. */
class ListTooLarge extends Error {}

/** The bytes of a file at any place, as zip.js asks for them. It exports its own readers only together with its decompression. */
function randomAccess(file: FileHandle, size: number) {
  return {
    size,
    readUint8Array: async (index: number, length: number): Promise<Uint8Array> => {
      if (length > LARGEST_LIST) throw new ListTooLarge();
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - index)));
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, index + at);
        if (bytesRead === 0) break;
        at += bytesRead;
      }
      return bytes;
    },
  } as Reader<FileHandle>;
}

/**
 * Opens an archive and looks at its structure. Nothing is ever unpacked: our archives are not compressed, so an archive cannot be larger
 * than its file. Whatever other programs could read in another way is a fault.
 * @throws Refusal when the file cannot be read.
 */
export async function openArchive(path: string, mostFiles = MOST_FILES): Promise<OpenArchive> {
  const file = await openFile(path);
  const { size } = await file.stat();
  const close = () => file.close();
  const zip = new ZipReader(randomAccess(file, size), { useWebWorkers: false, strictness: 'tolerant' });
  const entries: Entry[] = [];
  try {
    for await (const entry of zip.getEntriesGenerator({ strictness: 'tolerant' })) {
      entries.push(entry);
      if (entries.length > mostFiles) throw new ListTooLarge();
    }
  } catch (error) {
    // The disk failed, and not the archive.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) {
      await close();
      throw refusalOfRead(path, error, 'nothing was checked');
    }
    const message =
      error instanceof ListTooLarge
        ? 'Its list of files is larger than that of any order.'
        : 'Its end is missing or damaged: it is truncated, or it is no ZIP archive.';
    return { files: new Map(), faults: [{ fault: 'not a whole archive', message }], unread: new Set(), close };
  }
  const faults: Fault[] = nameFaults(entries);
  const layout = await layoutFaults(file, size, entries, zip.comment.length);
  faults.push(...layout.faults);
  const files = new Map<string, ArchiveFile>();
  for (const entry of entries) {
    const place = layout.places.get(entry);
    if (place === undefined || files.has(entry.filename)) continue;
    const open = () => Readable.from(chunksOf(file, place));
    files.set(entry.filename, { path: entry.filename, size: place.length, crc32: entry.crc32 ?? 0, open });
  }
  const unread = new Set(entries.map(({ filename }) => filename).filter((name) => !files.has(name)));
  return { files, faults, unread, close };
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

function nameFaults(entries: readonly Entry[]): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const { filename } of entries) {
    const folded = filename.normalize('NFC').toLowerCase();
    if (seen.has(folded)) faults.push({ file: filename, fault: 'name twice', message: 'Two files have this name.' });
    seen.add(folded);
    if (isSafePath(filename)) continue;
    const message = 'Unpacking it could write outside of the folder. Do not unpack the archive.';
    faults.push({ file: filename, fault: 'unsafe name', message });
  }
  return faults;
}

const CHUNK = 256 * 1024;

async function* chunksOf(file: FileHandle, { start, length }: Place): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(CHUNK, length - at)), 0, null, start + at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
