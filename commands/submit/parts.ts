import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

const MIB = 1024 * 1024;

/** Bytes. A larger file is uploaded in parts of this size, so that an interrupted upload can continue. */
const PART = 8 * MIB;

/** S3's limit for one multipart upload. */
const MOST_PARTS = 10_000;

/** Where a part of a file begins and ends. `end` is exclusive. */
export interface Part {
  /** Counted from 1, as S3 does. */
  number: number;
  start: number;
  end: number;
}

/** The parts of a file of this many bytes. They depend on the size alone, so a later upload has the same ones. */
export function partsOf(size: number): Part[] {
  const length = Math.max(PART, Math.ceil(size / MOST_PARTS / MIB) * MIB);
  const count = Math.max(1, Math.ceil(size / length));
  return Array.from({ length: count }, (_part, index) => ({
    number: index + 1,
    start: index * length,
    end: Math.min(size, (index + 1) * length),
  }));
}

export async function readPart(file: FileHandle, { start, end }: Part): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

/** SHA-256 in Base64, as S3 writes it. */
export function checksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/**
 * The `ChecksumSHA256` that S3 keeps for a file which was uploaded in these parts: the SHA-256 of the file, or for several parts the
 * SHA-256 of their SHA-256s and the number of parts (Amazon S3 User Guide, "Checking object integrity").
 */
export async function checksumOfFile(path: string, size: number): Promise<string> {
  const parts = partsOf(size);
  const file = await open(path);
  try {
    const sums: string[] = [];
    for (const part of parts) sums.push(checksum(await readPart(file, part)));
    if (sums.length === 1) return sums[0] as string;
    return `${checksum(Buffer.concat(sums.map((sum) => Buffer.from(sum, 'base64'))))}-${sums.length}`;
  } finally {
    await file.close();
  }
}
