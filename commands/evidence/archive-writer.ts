import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { ZipWriter } from '@zip.js/zip.js/lib/zip-core-writer.js';
import { named } from '../documents/save-document.ts';

/** What was written of a file. */
export interface Written {
  /** Bytes. */
  size: number;
  sha256: string;
}

/** The earliest time of a ZIP archive. The manifest has the times of the files. */
const SAME_TIME = new Date(1980, 0, 1);

/**
 * Writes files into a ZIP archive, one after another and each as a stream. Files are stored and not compressed, so the same files make the
 * same bytes, and nobody has to unpack an archive to see how large it is.
 */
export class ArchiveWriter {
  readonly #zip: ZipWriter<unknown>;

  /** @param path of the file, for the message if it cannot be written. */
  constructor(file: FileHandle, path: string) {
    const target = new WritableStream<Uint8Array>({
      write: async (chunk) => {
        for (let at = 0; at < chunk.length; ) at += (await named(path, file.write(chunk, at))).bytesWritten;
      },
    });
    this.#zip = new ZipWriter(target, {
      level: 0,
      useWebWorkers: false,
      keepOrder: true,
      extendedTimestamp: false,
      dataDescriptor: true,
      lastModDate: SAME_TIME,
    });
  }

  /** @param size how many bytes the content has. A file of 4 GB and more is written in another form. */
  async add(path: string, content: AsyncIterable<Uint8Array>, size: number): Promise<Written> {
    const hash = createHash('sha256');
    let written = 0;
    const chunks = content[Symbol.asyncIterator]();
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await chunks.next();
          if (done) return controller.close();
          hash.update(value);
          written += value.length;
          controller.enqueue(value);
        },
        // A body of S3 that stays open would keep the command from ending.
        cancel: async () => void (await chunks.return?.()),
      },
      { highWaterMark: 0 },
    );
    await this.#zip.add(path, stream, { uncompressedSize: size });
    return { size: written, sha256: hash.digest('hex') };
  }

  async addText(path: string, text: string): Promise<Written> {
    return this.addBytes(path, Buffer.from(text));
  }

  async addBytes(path: string, bytes: Uint8Array): Promise<Written> {
    return this.add(path, once(bytes), bytes.length);
  }

  async end(): Promise<void> {
    await this.#zip.close();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
