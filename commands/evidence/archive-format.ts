/** A file of an archive. */
export interface Entry {
  path: string;
  /** Bytes. */
  size: number;
  crc32: number;
}

/** An order has some hundred files. What is larger was made to fill the memory of whoever checks it: files, and bytes of their list. */
export const MOST_FILES = 10_000;
export const LARGEST_LIST = 4 * 1024 * 1024;

/** From this value on, a number stands in 8 bytes in an extra field. */
const WIDE = 0xffffffff;
const LINE_SIGNATURE = 0x02014b50;
const LINE = 46;

/** Bytes of the end of an archive: what each has, and what one that is larger than 4 GB has before it. */
export const END = 22;
const WIDE_END = 56 + 20;
const END_SIGNATURE = 0x06054b50;

/**
 * What stands before the bytes of a file (APPNOTE.TXT of the ZIP format, 4.3.7). This file alone says how our archives are laid out:
 * stored one after another from the first byte on, all with the same time, without attributes and comments.
 */
export function localHeader(entry: Entry): Buffer {
  const extra = wide(entry.size, entry.size);
  return Buffer.concat([numbers(4, 0x04034b50), described(entry, extra), Buffer.from(entry.path), extra]);
}

/** The list of the files and the end of the archive (APPNOTE.TXT, 4.3.12 to 4.3.16). */
export function directory(entries: readonly Entry[]): Buffer {
  const lines: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const extra = wide(entry.size, entry.size, offset);
    lines.push(numbers(4, LINE_SIGNATURE), numbers(2, 20), described(entry, extra));
    lines.push(numbers(2, 0, 0, 0), numbers(4, 0, Math.min(offset, WIDE)), Buffer.from(entry.path), extra);
    offset += localHeader(entry).length + entry.size;
  }
  const list = Buffer.concat(lines);
  return Buffer.concat([list, end(entries.length, list.length, offset)]);
}

/** The entries that a list of files names. Whoever reads them compares the list with {@link directory}: nothing else is checked here. */
export function entriesIn(list: Buffer, archiveSize: number): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + LINE <= list.length && list.readUInt32LE(at) === LINE_SIGNATURE; ) {
    const [crc32, stored, nameBytes, extraBytes] = [
      list.readUInt32LE(at + 16),
      list.readUInt32LE(at + 20),
      list.readUInt16LE(at + 28),
      list.readUInt16LE(at + 30),
    ];
    const extra = at + LINE + nameBytes;
    if (extra + extraBytes + END > list.length) break;
    const size = stored === WIDE ? Number(list.readBigUInt64LE(extra + 4)) : stored;
    const path = list.toString('utf8', at + LINE, extra);
    // What is no UTF-8 is read as other bytes.
    if (size > archiveSize || Buffer.byteLength(path) !== nameBytes) break;
    entries.push({ path, size, crc32 });
    at = extra + extraBytes;
  }
  return entries;
}

/**
 * Where the list of files begins, by the last bytes of an archive.
 * @returns undefined if these bytes are no end of an archive.
 */
export function listStart(last: Buffer): number | undefined {
  const at = last.length - END;
  if (at < 0 || last.readUInt32LE(at) !== END_SIGNATURE) return undefined;
  const start = last.readUInt32LE(at + 16);
  if (start < WIDE) return start;
  return at < WIDE_END ? undefined : Number(last.readBigUInt64LE(at - WIDE_END + 48));
}

/** As many of the last bytes as {@link listStart} needs. */
export const LAST_BYTES = WIDE_END + END;

/** What both places say of a file: a name in UTF-8 (bit 11), stored, 1980-01-01. */
function described({ path, size, crc32 }: Entry, extra: Buffer): Buffer {
  const version = extra.length > 0 ? 45 : 20;
  const least = Math.min(size, WIDE);
  return Buffer.concat([
    numbers(2, version, 0x0800, 0, 0, 0x0021),
    numbers(4, crc32, least, least),
    numbers(2, Buffer.byteLength(path), extra.length),
  ]);
}

/** The extra field for those of the numbers that do not fit into 4 bytes (APPNOTE.TXT, 4.5.3). */
function wide(...values: number[]): Buffer {
  const large = values.filter((value) => value >= WIDE);
  return large.length === 0 ? NOTHING : Buffer.concat([numbers(2, 1, 8 * large.length), numbers(8, ...large)]);
}

function end(count: number, length: number, start: number): Buffer {
  return Buffer.concat([
    start < WIDE ? NOTHING : wideEnd(count, length, start),
    numbers(4, END_SIGNATURE),
    numbers(2, 0, 0, count, count),
    numbers(4, length, Math.min(start, WIDE)),
    numbers(2, 0),
  ]);
}

function wideEnd(count: number, length: number, start: number): Buffer {
  return Buffer.concat([
    numbers(4, 0x06064b50),
    numbers(8, 44),
    numbers(2, 45, 45),
    numbers(4, 0, 0),
    numbers(8, count, count, length, start),
    numbers(4, 0x07064b50, 0),
    numbers(8, start + length),
    numbers(4, 1),
  ]);
}

const NOTHING = Buffer.alloc(0);

/** Numbers of so many bytes each, the lowest byte first. */
function numbers(width: 2 | 4 | 8, ...values: number[]): Buffer {
  const bytes = Buffer.alloc(width * values.length);
  for (const [position, value] of values.entries()) {
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), position * width);
    else bytes.writeUIntLE(value, position * width, width);
  }
  return bytes;
}
