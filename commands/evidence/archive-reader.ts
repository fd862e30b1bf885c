import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Entry, type Reader, ZipReader } from '@zip.js/zip.js/lib/zip-core-reader.js';
import { refusalOfRead } from '../local-file.ts';
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

/** The bytes of a file at any place, as zip.js asks for them. It exports its own readers only together with its decompression. */
function randomAccess(file: FileHandle, size: number) {
  return {
    size,
    readUint8Array: async (index: number, length: number): Promise<Uint8Array> => {
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
export async function openArchive(path: string): Promise<OpenArchive> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw refusalOfRead(path, error, 'nothing was checked');
  });
  const { size } = await file.stat();
  const close = () => file.close();
  const zip = new ZipReader(randomAccess(file, size), { useWebWorkers: false, strictness: 'tolerant' });
  let entries: Entry[];
  try {
    entries = await zip.getEntries({ strictness: 'tolerant' });
  } catch {
    const message = 'Its end is missing or damaged: it is truncated, or it is no ZIP archive.';
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
