import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipWriter } from '@zip.js/zip.js';

/** The order's complete record as JSON. */
export const RECORD = 'record.json';
/** The whole archive on one page, for people. */
export const INDEX_PAGE = 'index.html';
/** Describes the archive and its files, and where they come from. */
export const CONTENTS = 'contents.json';
/** The output of `sha256sum` for all files except the manifest and its signature by the stage's key. */
export const MANIFEST = 'manifest.sha256';
export const MANIFEST_SIGNATURE = 'manifest.sha256.p7s';

/** A file of the archive, as `contents.json` lists it. */
export interface ListedFile {
  path: string;
  /** A description for people. */
  what: string;
  /** Bytes. */
  size: number;
  sha256: string;
  /** Where it comes from, and when S3 stored it: ISO 8601 in UTC. */
  source?: { bucket: 'intake' | 'staging'; key: string; versionId: string; storedAt: string };
  /** The document that a detached signature signs, when the signature was sent to the order service, and the verdict on it. */
  signs?: { document: string; sentAt: string; verdict?: { indication: string } };
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

/** Packs files into a ZIP archive, one after another and each as a stream. */
export function packer(write: (chunk: Uint8Array) => Promise<void>) {
  const archive = meter();
  const target = new WritableStream({ write: (chunk) => write(archive.pass(chunk)) });
  const zip = new ZipWriter(target, { useWebWorkers: false });
  const sums: { path: Buffer; line: string }[] = [];
  /** @param size the expected number of bytes. The caller compares it with the returned size. */
  const add = async (path: string, content: Readable, size: number) => {
    const { pass, measured } = meter();
    async function* passed() {
      for await (const chunk of content) yield pass(chunk as Uint8Array);
    }
    await zip.add(path, { readable: Readable.toWeb(Readable.from(passed())) as ReadableStream, size });
    const found = measured();
    sums.push({ path: Buffer.from(path), line: `${found.sha256}  ${path}\n` });
    return found;
  };
  return {
    add,
    addBytes: (path: string, bytes: Uint8Array | string) =>
      add(path, Readable.from([Buffer.from(bytes)]), Buffer.byteLength(bytes)),
    /** The output of `sha256sum` for the added files, in the order of `LC_ALL=C sort`. */
    manifest: () =>
      sums
        .toSorted((one, other) => Buffer.compare(one.path, other.path))
        .map(({ line }) => line)
        .join(''),
    /** @returns the size and the digest of the archive. */
    async end() {
      await zip.close();
      return archive.measured();
    },
  };
}
