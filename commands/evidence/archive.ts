import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type FileEntry, Reader, ZipReader, ZipWriter } from '@zip.js/zip.js';
import { refusalOfRead } from '../local-file.ts';
import { Refusal } from '../text.ts';

// An order has some hundred files. An archive beyond these limits was made to fill the memory of whoever checks it.
export const MOST_FILES = 10_000;
/** Bytes of the list of the files. */
const LARGEST_LIST = 4 * 1024 * 1024;
/** Bytes of a file that is read into memory. A manifest of 10,000 files with usual names has 6 MB. */
const LARGEST_READ = 16 * 1024 * 1024;
/** A path has three characters for each byte of a key that is encoded, and the folders before it. */
export const LONGEST_PATH = 4_096;

/** The extra field with a size that does not fit into 4 bytes. */
const LARGE_FILE = 1;
/** The attributes of a file that its owner may write and everybody may read, as the library writes them. */
const PLAIN_FILE = 0o100_644 * 2 ** 16;

export interface ArchiveFault {
  /** The file of the archive; undefined for the archive as a whole. */
  file?: string;
  /** What happened, in the words of docs/evidence.md. */
  fault:
    | 'not as it was packed'
    | 'unsafe name'
    | 'changed'
    | 'removed'
    | 'added'
    | 'manifest unreadable'
    | 'manifest signature missing'
    | 'manifest signature wrong'
    | 'certificate wrong'
    | 'detached signature wrong';
  /** The same in a sentence. */
  message: string;
}

export interface ArchiveFile {
  /** Bytes. */
  size: number;
  open(): Promise<Readable>;
}

export async function digestOf({ open: openFile }: Pick<ArchiveFile, 'open'>, algorithm = 'sha256'): Promise<Buffer> {
  const hash = createHash(algorithm);
  for await (const chunk of await openFile()) hash.update(chunk as Buffer);
  return hash.digest();
}

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

/** Counts bytes and computes their SHA-256. */
function meter() {
  const hash = createHash('sha256');
  let size = 0;
  const pass = (chunk: Uint8Array) => {
    hash.update(chunk);
    size += chunk.length;
    return chunk;
  };
  return { pass, measured: () => ({ size, sha256: hash.digest('hex') }) };
}

export type Packer = ReturnType<typeof packer>;

/**
 * Packs files into a ZIP archive, one after another and each as a stream. They are stored and not compressed, so that nobody has to
 * unpack an archive to see how large it is.
 */
export function packer(write: (chunk: Uint8Array) => Promise<void>) {
  const options = { level: 0, lastModDate: new Date(1980, 0, 1), extendedTimestamp: false, useWebWorkers: false };
  const archive = meter();
  const zip = new ZipWriter(new WritableStream({ write: (chunk) => write(archive.pass(chunk)) }), options);
  return {
    /** @param size how many bytes the content should have. The caller compares it with the size that is returned. */
    async add(path: string, content: Readable, size: number) {
      const { pass, measured } = meter();
      async function* passed() {
        for await (const chunk of content) yield pass(chunk as Uint8Array);
      }
      await zip.add(path, { readable: Readable.toWeb(Readable.from(passed())) as ReadableStream, size });
      return measured();
    },
    /** @returns the size and the digest of the archive. */
    async end() {
      await zip.close();
      return archive.measured();
    },
  };
}

/**
 * Opens an archive and looks at its structure. Nothing is ever unpacked.
 * @returns its files; undefined if it is not as we pack an archive, so that other programs could read it in another way.
 * @throws Refusal when the file cannot be read, or is anything but a file.
 */
export async function openArchive(path: string) {
  let file: FileHandle | undefined;
  try {
    const stats = await stat(path);
    // Opening a pipe would wait for its writer.
    if (!stats.isFile())
      throw new Refusal(
        `${path} is not a file: nothing was checked. Give the archive that "loan-orders evidence" wrote.`,
      );
    const opened = await open(path);
    file = opened;
    return { files: await readable(() => filesIn(opened, stats.size)), close: () => opened.close() };
  } catch (error) {
    await file?.close();
    throw refusalOfRead(path, error, 'nothing was checked');
  }
}

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
  for await (const entry of new ZipReader(readerOf(file, archiveSize), STRICTLY).getEntriesGenerator()) {
    left -= entry.compressedSize;
    if (entry.directory || !isOurs(entry) || left < 0 || files.size === MOST_FILES) return undefined;
    files.set(entry.filename, { size: entry.uncompressedSize, open: async () => streamOf(entry) });
  }
  return files;
}

/** Whether it is a plain file. An extra field with another name, for example, is read by some programs and ignored by others. */
function isOurs(entry: FileEntry): boolean {
  const { filename, compressionMethod, compressedSize, uncompressedSize, encrypted, comment, extraField } = entry;
  const isStored = compressionMethod === 0 && compressedSize === uncompressedSize && !encrypted;
  const hasNoMore = comment === '' && [...(extraField?.keys() ?? [])].every((type) => type === LARGE_FILE);
  return isStored && hasNoMore && entry.externalFileAttributes === PLAIN_FILE && filename.length <= LONGEST_PATH;
}

function streamOf(entry: FileEntry): Readable {
  const { readable: content, writable } = new TransformStream<Uint8Array, Uint8Array>();
  // The reader of the stream gets the error.
  entry.getData(writable).catch((error) => writable.abort(error).catch(() => undefined));
  return Readable.fromWeb(content as Parameters<typeof Readable.fromWeb>[0]);
}

/** Reads an archive where the library asks for it. */
function readerOf(file: FileHandle, size: number): Reader<FileHandle> {
  return Object.assign(new Reader(file), {
    size,
    async readUint8Array(start: number, length: number) {
      // The library reads the list of the files at once.
      if (length > LARGEST_LIST) throw new Error('The list of the files is larger than that of any order.');
      const { buffer: bytes, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
      return bytes.subarray(0, bytesRead);
    },
  });
}
