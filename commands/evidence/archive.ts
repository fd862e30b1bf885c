import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type FileEntry, Reader, ZipReader, ZipWriter } from '@zip.js/zip.js';
import { refusalOfRead } from '../local-file.ts';
import { Refusal } from '../refusal.ts';
import { type ArchiveFault, nameFaults } from './faults.ts';

/** An order has some hundred files. What is larger was made to fill the memory of whoever checks it: files, and bytes of their list. */
export const MOST_FILES = 10_000;
const LARGEST_LIST = 4 * 1024 * 1024;

/** Larger files are not read into memory. A manifest of 10,000 files with usual names has 6 MB. */
const LARGEST_READ = 16 * 1024 * 1024;

/** A path has three characters for each byte of a key that is encoded, and the folders before it. */
export const LONGEST_PATH = 4_096;
/** The extra field with a size that does not fit into 4 bytes. */
const LARGE_FILE = 1;
/** The attributes of a file that its owner may write and everybody read, as the library writes them. */
const PLAIN_FILE = 0o100_644 * 2 ** 16;

/** A file of an archive. */
export interface ArchiveFile {
  /** Bytes. */
  size: number;
  open(): Promise<Readable>;
}

export type ArchiveFiles = ReadonlyMap<string, ArchiveFile>;

/** The whole content; undefined if there is none, it is too large, or it cannot be read. */
export async function contentOf(file: ArchiveFile | undefined): Promise<Buffer | undefined> {
  return file && file.size <= LARGEST_READ ? readable(async () => buffer(await file.open())) : undefined;
}

/** Undefined if the library finds the archive wrong. A failure of the file system is thrown as it is. */
export async function readable<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined || error instanceof Refusal) throw error;
    return undefined;
  }
}

export type Packer = ReturnType<typeof packer>;

/**
 * Packs files into a ZIP archive, one after another and each as a stream. They are stored and not compressed, so that nobody has to
 * unpack an archive to see how large it is.
 */
export function packer(write: (chunk: Uint8Array) => Promise<void>) {
  const options = { level: 0, lastModDate: new Date(1980, 0, 1), extendedTimestamp: false, useWebWorkers: false };
  const zip = new ZipWriter(new WritableStream({ write }), options);
  let files = 0;
  return {
    /** @param expected how many bytes the content should have. The caller compares it with the size that is returned. */
    async add(path: string, content: AsyncIterable<Uint8Array> | Uint8Array[], expected: number) {
      const hash = createHash('sha256');
      let size = 0;
      async function* counted() {
        for await (const chunk of content) {
          hash.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      }
      await zip.add(path, { readable: Readable.toWeb(Readable.from(counted())) as ReadableStream, size: expected });
      files += 1;
      return { size, sha256: hash.digest('hex') };
    },
    /** @throws Refusal when the check would refuse an archive of so many files. */
    async end(): Promise<void> {
      if (files > MOST_FILES) throw new Refusal(`It would hold more than ${MOST_FILES} files: no archive was written.`);
      await zip.close();
    },
  };
}

/**
 * Opens an archive and looks at its structure. What other programs could read in another way is a fault, and nothing is ever unpacked.
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
    const files = await readable(() => filesIn(file, stats.size));
    const faults = files ? nameFaults([...files.keys()]) : [NOT_AS_PACKED];
    return { files: files ?? new Map<string, ArchiveFile>(), faults, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw refusalOfRead(path, error, 'nothing was checked');
  }
}

const NOT_AS_PACKED: ArchiveFault = {
  fault: 'not as it was packed',
  message: 'It was truncated, changed, or packed by another program: check the file that "loan-orders evidence" wrote.',
};

const STRICTLY = {
  strictness: 'strict',
  filenameValidation: 'tolerant',
  checkCrc32: true,
  useWebWorkers: false,
} as const;

/** Undefined if it is no archive, or none of ours. */
async function filesIn(file: FileHandle, archiveSize: number): Promise<Map<string, ArchiveFile> | undefined> {
  const files = new Map<string, ArchiveFile>();
  let left = archiveSize;
  for await (const entry of new ZipReader(new FileReader(file, archiveSize), STRICTLY).getEntriesGenerator()) {
    left -= entry.compressedSize;
    if (entry.directory || !isOurs(entry) || left < 0 || files.size === MOST_FILES) return undefined;
    files.set(entry.filename, { size: entry.uncompressedSize, open: async () => streamOf(entry) });
  }
  return files;
}

/** Whether it is a plain file without anything that other programs obey, such as another name in an extra field. */
function isOurs(entry: FileEntry): boolean {
  const { filename, compressionMethod, compressedSize, uncompressedSize, encrypted, comment, extraField } = entry;
  const isStored = compressionMethod === 0 && compressedSize === uncompressedSize && !encrypted;
  const hasNoMore = comment === '' && [...(extraField?.keys() ?? [])].every((type) => type === LARGE_FILE);
  return isStored && hasNoMore && entry.externalFileAttributes === PLAIN_FILE && filename.length <= LONGEST_PATH;
}

function streamOf(entry: FileEntry): Readable {
  const { readable: content, writable } = new TransformStream<Uint8Array, Uint8Array>();
  // Whoever reads gets the error.
  entry.getData(writable).catch((error) => writable.abort(error).catch(() => undefined));
  return Readable.fromWeb(content as Parameters<typeof Readable.fromWeb>[0]);
}

/** Reads an archive where the library asks for it. */
class FileReader extends Reader<FileHandle> {
  readonly #file: FileHandle;

  constructor(file: FileHandle, size: number) {
    super(file);
    this.#file = file;
    this.size = size;
  }

  override async readUint8Array(start: number, length: number): Promise<Uint8Array> {
    // The library reads the list of the files at once.
    if (length > LARGEST_LIST) throw new Error('The list of the files is larger than that of any order.');
    const bytes = Buffer.alloc(length);
    for (let at = 0; ; ) {
      const { bytesRead } = await this.#file.read(bytes, at, length - at, start + at);
      at += bytesRead;
      if (bytesRead === 0 || at === length) return bytes.subarray(0, at);
    }
  }
}
