import type { FileHandle } from 'node:fs/promises';

/** Lengths in bytes (APPNOTE.TXT of the ZIP format, 4.3.14 to 4.3.16). */
const END = 22;
const LOCATOR_64 = 20;
const END_64 = 56;

const END_SIGNATURE = 0x06054b50;
const SENTINEL = 0xffffffff;

/** Bytes of a file; undefined if it has fewer. */
export async function read(file: FileHandle, start: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, start);
  return bytesRead === length ? bytes : undefined;
}

/** Where the list of files begins, if nothing is behind the end of the archive, and nothing between the list and the end. */
export async function directoryStart(file: FileHandle, size: number): Promise<number | undefined> {
  const end = size < END ? undefined : await read(file, size - END, END);
  if (!end || end.readUInt32LE(0) !== END_SIGNATURE) return undefined;
  const [length, start] = [end.readUInt32LE(12), end.readUInt32LE(16)];
  if (start !== SENTINEL && length !== SENTINEL) return start + length === size - END ? start : undefined;
  const at = size - END - LOCATOR_64 - END_64;
  const end64 = at < 0 ? undefined : await read(file, at, END_64);
  if (!end64) return undefined;
  const [length64, start64] = [Number(end64.readBigUInt64LE(40)), Number(end64.readBigUInt64LE(48))];
  return start64 + length64 === at ? start64 : undefined;
}
