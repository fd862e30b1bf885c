import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { named } from '../documents/save-document.ts';
import { Refusal } from '../refusal.ts';
import { directory, type Entry, LARGEST_LIST, localHeader, MOST_FILES } from './archive-format.ts';
import { readable } from './manifest.ts';

/** What was written of a file. */
export interface Written {
  /** Bytes. */
  size: number;
  sha256: string;
}

/**
 * Writes files into a ZIP archive, one after another and each as a stream. Files are stored and not compressed, so the same files make the
 * same bytes, and nobody has to unpack an archive to see how large it is.
 */
export class ArchiveWriter {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #entries: Entry[] = [];
  #position = 0;

  /** @param path of the file, for the message if it cannot be written. */
  constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /** @param size how many bytes the content should have. The caller compares it with what was written. */
  async add(path: string, content: AsyncIterable<Uint8Array>, size: number): Promise<Written> {
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
    this.#entries.push(entry);
    this.#position = start + entry.size;
    return { size: entry.size, sha256: hash.digest('hex') };
  }

  /** @throws Refusal when the check would not read it. */
  async addText(path: string, text: string): Promise<Written> {
    return this.addBytes(path, Buffer.from(readable(path, text)));
  }

  async addBytes(path: string, bytes: Uint8Array): Promise<Written> {
    return this.add(path, once(bytes), bytes.length);
  }

  /** @throws Refusal when the check would refuse an archive of so many files. */
  async end(): Promise<void> {
    const list = directory(this.#entries);
    if (this.#entries.length > MOST_FILES || list.length > LARGEST_LIST)
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

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
