import type { FileHandle } from 'node:fs/promises';
import type { Entry } from '@zip.js/zip.js/lib/zip-core-reader.js';
import { directoryStart, read } from './archive-end.ts';
import type { Fault } from './fault.ts';

/** Where the bytes of an entry are in the archive. */
export interface Place {
  start: number;
  /** Bytes. */
  length: number;
}

/** Lengths in bytes (APPNOTE.TXT of the ZIP format, 4.3.7 and 4.3.9). A file of 4 GB and more has the longer descriptor behind it. */
const LOCAL_HEADER = 30;
const DESCRIPTOR = 16;
const DESCRIPTOR_64 = 24;

const LOCAL_SIGNATURE = 0x04034b50;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const STORED = 0;
/** The sizes stand behind the file (bit 3); the name is UTF-8 (bit 11). */
const FLAGS = [0x0008, 0x0808];

/**
 * Checks that the archive is laid out as we write it: its files stand one behind the other from the first byte on, their list follows, and
 * nothing is before, between or behind them. So every program finds the same files in it, and none is hidden.
 * @returns the faults, and the places of the entries that have none.
 */
export async function layoutFaults(
  file: FileHandle,
  size: number,
  entries: readonly Entry[],
  commentBytes: number,
): Promise<{ faults: Fault[]; places: Map<Entry, Place> }> {
  const faults: Fault[] = [];
  const places = new Map<Entry, Place>();
  const wrong = (message: string, at?: Entry) =>
    void faults.push({ ...(at && { file: at.filename }), fault: 'not as it was packed', message });
  // Undefined behind an entry whose own end is unknown.
  let next: number | undefined = 0;
  for (const entry of entries.toSorted((one, other) => one.offset - other.offset)) {
    const problem = contentFault(entry, size - entry.offset);
    const own = problem ? undefined : await ownPlace(file, entry);
    if (problem) faults.push(problem);
    else if (!own)
      wrong('What stands before or behind its bytes says something else than the list of the archive.', entry);
    else if (next !== undefined && entry.offset !== next) {
      wrong('It does not follow on the file before it: something was added, removed or hidden there.', entry);
    } else places.set(entry, own.place);
    next = own?.end;
  }
  if (commentBytes > 0) wrong('It has a comment, which we never write.');
  if (places.size === entries.length && (await directoryStart(file, size)) !== next) {
    wrong('Something stands before or behind its files, or it was packed again by another program.');
  }
  return { faults, places };
}

function contentFault(entry: Entry, left: number): Fault | undefined {
  const { filename: file, compressionMethod, encrypted, compressedSize, uncompressedSize } = entry;
  if (compressionMethod !== STORED || encrypted) {
    const message = `It says that it has ${uncompressedSize} bytes unpacked. We never compress a file, so it was not unpacked and not read.`;
    return { file, fault: 'compressed', message };
  }
  if (compressedSize === uncompressedSize && compressedSize <= left) return undefined;
  return {
    file,
    fault: 'wrong size',
    message: `It says that it has ${uncompressedSize} bytes, which the archive does not hold.`,
  };
}

/** Where an entry's bytes are; undefined if its header or its descriptor contradicts the list, which other programs may not read. */
async function ownPlace(file: FileHandle, entry: Entry): Promise<{ place: Place; end: number } | undefined> {
  const { offset, rawFilename, compressedSize: length, crc32 = 0 } = entry;
  const header = await read(file, offset, LOCAL_HEADER);
  if (!header || header.readUInt32LE(0) !== LOCAL_SIGNATURE || !FLAGS.includes(header.readUInt16LE(6)))
    return undefined;
  const isLarge = header.readUInt16LE(28) > 0;
  const before = Buffer.alloc(14);
  if (isLarge) before.fill(0xff, 6);
  // The method, which is stored, the time, which is the same everywhere, no checksum, no sizes.
  if (header.readUInt16LE(8) !== STORED || !header.subarray(14, 26).equals(before.subarray(2))) return undefined;
  const name = await read(file, offset + LOCAL_HEADER, header.readUInt16LE(26));
  if (!name?.equals(rawFilename)) return undefined;
  const start = offset + LOCAL_HEADER + name.length + header.readUInt16LE(28);
  const sizes = isLarge ? DESCRIPTOR_64 : DESCRIPTOR;
  const descriptor = await read(file, start + length, sizes);
  const expected = Buffer.alloc(sizes);
  expected.writeUInt32LE(DESCRIPTOR_SIGNATURE, 0);
  expected.writeUInt32LE(crc32, 4);
  for (const at of isLarge ? [8, 16] : [8, 12]) {
    if (isLarge) expected.writeBigUInt64LE(BigInt(length), at);
    else expected.writeUInt32LE(length, at);
  }
  return descriptor?.equals(expected) ? { place: { start, length }, end: start + length + sizes } : undefined;
}
