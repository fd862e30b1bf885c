import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { named } from '../documents/save-document.ts';
import { refusalOfRead } from '../local-file.ts';
import { Refusal } from '../refusal.ts';
import { directory, type Entry, entryAt, LARGEST_HEADER, localHeader } from './archive-format.ts';
import { type Fault, pathFaults } from './faults.ts';

/** An order has some hundred files. What is larger was made to fill the memory of whoever checks it: files, and bytes of their list. */
export const MOST_FILES = 10_000;
const LARGEST_LIST = 4 * 1024 * 1024;

/** Larger files are not read into memory. A manifest of 10,000 files with usual names has 6 MB. */
const LARGEST_READ = 16 * 1024 * 1024;

/** A file in an archive. */
export interface ArchiveFile extends Entry {
  open(): Readable;
  /** The whole content; undefined if it is too large. */
  read(): Promise<Buffer | undefined>;
}

export type ArchiveFiles = ReadonlyMap<string, ArchiveFile>;

/**
 * Writes files into a ZIP archive, one after another and each as a stream. Files are stored and not compressed, so the same files make the
 * same bytes, and nobody has to unpack an archive to see how large it is.
 */
export class ArchiveWriter {
  /** What was written so far, by path. */
  readonly files = new Map<string, ArchiveFile>();
  readonly #file: FileHandle;
  readonly #path: string;
  #position = 0;

  /** @param path of the file, for the message if it cannot be written. */
  constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /** @param size how many bytes the content should have. The caller compares it with what was written. */
  async add(path: string, content: AsyncIterable<Uint8Array> | Uint8Array[], size: number) {
    const hash = createHash('sha256');
    const start = this.#position + localHeader({ path, size, crc32: 0 }).length;
    const entry = { path, size: 0, crc32: 0 };
    for await (const chunk of content) {
      await this.#write(chunk, start + entry.size);
      hash.update(chunk);
      entry.crc32 = crc32(chunk, entry.crc32);
      entry.size += chunk.length;
    }
    // The checksum stands before the bytes, and is known after them.
    await this.#write(localHeader(entry), this.#position);
    this.files.set(path, opened(this.#file, entry, start));
    this.#position = start + entry.size;
    return { size: entry.size, sha256: hash.digest('hex') };
  }

  async addBytes(path: string, bytes: Uint8Array | string) {
    return this.add(path, [Buffer.from(bytes)], Buffer.byteLength(bytes));
  }

  /** @throws Refusal when the check would refuse an archive of so many files. */
  async end(): Promise<void> {
    const list = directory([...this.files.values()]);
    if (this.files.size > MOST_FILES || list.length > LARGEST_LIST)
      throw new Refusal(`It would hold more than ${MOST_FILES} files, or very long names: no archive was written.`);
    await this.#write(list, this.#position);
  }

  async #write(bytes: Uint8Array, position: number): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const written = await named(this.#path, this.#file.write(bytes, at, bytes.length - at, position + at));
      at += written.bytesWritten;
    }
  }
}

/**
 * Opens an archive and looks at its structure. Only what {@link ArchiveWriter} writes is accepted, to the last byte: whatever other
 * programs could read in another way is a fault. Nothing is ever unpacked.
 * @returns its files, which are not to be believed if there are faults.
 * @throws Refusal when the file cannot be read, or is anything but a file.
 */
export async function openArchive(path: string) {
  // Such a read does not wait for the writer of a pipe. Windows has no such flag, and no pipes among its files.
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK).catch((error: unknown) => {
    throw refusalOfRead(path, error, 'nothing was checked');
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile())
      throw new Refusal(`${path} is no file: nothing was checked. Give the archive that "loan-orders evidence" wrote.`);
    const found = await filesIn(file, stats.size);
    const faults: Fault[] = found ? pathFaults(found.map((one) => one.path)) : [NOT_AS_PACKED];
    return { files: new Map(found?.map((one) => [one.path, one])), faults, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw refusalOfRead(path, error, 'nothing was checked');
  }
}

const NOT_AS_PACKED: Fault = {
  fault: 'not as it was packed',
  message: 'It was truncated, changed, or packed by another program: check the file that "loan-orders evidence" wrote.',
};

/** Reads from the first byte on, header after header. Undefined if anything is not what we would write for these files. */
async function filesIn(file: FileHandle, archiveSize: number): Promise<ArchiveFile[] | undefined> {
  const files: ArchiveFile[] = [];
  let position = 0;
  for (;;) {
    const entry = entryAt(await read(file, position, LARGEST_HEADER));
    if (!entry) break;
    const start = position + localHeader(entry).length;
    position = start + entry.size;
    files.push(opened(file, entry, start));
    if (position > archiveSize || files.length > MOST_FILES) return undefined;
  }
  const left = archiveSize - position;
  const isWhole = left <= LARGEST_LIST && directory(files).equals(await read(file, position, left));
  return isWhole ? files : undefined;
}

/** Bytes of a file; fewer if it ends before. */
async function read(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, at, length - at, start + at);
    at += bytesRead;
    if (bytesRead === 0 || at === length) return buffer.subarray(0, at);
  }
}

const CHUNK = 256 * 1024;

function opened(file: FileHandle, entry: Entry, start: number): ArchiveFile {
  async function* chunks() {
    for (let at = 0; at < entry.size; at += CHUNK) yield read(file, start + at, Math.min(CHUNK, entry.size - at));
  }
  const whole = () => read(file, start, entry.size);
  return {
    ...entry,
    open: () => Readable.from(chunks()),
    read: async () => (entry.size > LARGEST_READ ? undefined : whole()),
  };
}
