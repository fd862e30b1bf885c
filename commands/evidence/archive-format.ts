/** A file of an archive. */
export interface Entry {
  path: string;
  /** Bytes. */
  size: number;
  crc32: number;
}

/** From this value on, a number stands in 8 bytes in an extra field. */
const WIDE = 0xffffffff;
const FILE_SIGNATURE = 0x04034b50;

/** Bytes before the name of a file, and at most with a name that a manifest may have and an extra field. */
const BEFORE_NAME = 30;
export const LARGEST_HEADER = BEFORE_NAME + 4_096 + 20;

/**
 * What stands before the bytes of a file (APPNOTE.TXT of the ZIP format, 4.3.7). This file alone says how our archives are laid out:
 * stored one after another from the first byte on, all with the same time, without attributes and comments. A library could lay them
 * out differently in its next release, and the check compares every byte.
 */
export function localHeader(entry: Entry): Buffer {
  const extra = wide(entry.size, entry.size);
  return Buffer.concat([numbers(4, FILE_SIGNATURE), described(entry, extra), Buffer.from(entry.path), extra]);
}

/** The file whose header these bytes begin with; undefined if they do not begin with a header that we would write. */
export function entryAt(bytes: Buffer): Entry | undefined {
  if (bytes.length < BEFORE_NAME) return undefined;
  const nameEnd = BEFORE_NAME + bytes.readUInt16LE(26);
  const short = bytes.readUInt32LE(22);
  if (short === WIDE && bytes.length < nameEnd + 12) return undefined;
  const size = short === WIDE ? Number(bytes.readBigUInt64LE(nameEnd + 4)) : short;
  if (!Number.isSafeInteger(size)) return undefined;
  const entry = { path: bytes.toString('utf8', BEFORE_NAME, nameEnd), size, crc32: bytes.readUInt32LE(14) };
  const header = localHeader(entry);
  return header.equals(bytes.subarray(0, header.length)) ? entry : undefined;
}

/** The list of the files and the end of the archive (APPNOTE.TXT, 4.3.12 to 4.3.16). */
export function directory(entries: readonly Entry[]): Buffer {
  let start = 0;
  const lines = entries.map((entry) => {
    const extra = wide(entry.size, entry.size, start);
    const line = [numbers(4, 0x02014b50), numbers(2, 20), described(entry, extra), numbers(2, 0, 0, 0)];
    line.push(numbers(4, 0, Math.min(start, WIDE)), Buffer.from(entry.path), extra);
    start += localHeader(entry).length + entry.size;
    return Buffer.concat(line);
  });
  const list = Buffer.concat(lines);
  const [count, length] = [entries.length, list.length];
  return Buffer.concat([
    list,
    start < WIDE ? Buffer.alloc(0) : wideEnd(count, length, start),
    numbers(4, 0x06054b50),
    numbers(2, 0, 0, count, count),
    numbers(4, length, Math.min(start, WIDE)),
    numbers(2, 0),
  ]);
}

/** What both places say of a file: a name in UTF-8 (bit 11), stored, 1980-01-01. */
function described({ path, size, crc32 }: Entry, extra: Buffer): Buffer {
  const least = Math.min(size, WIDE);
  return Buffer.concat([
    numbers(2, extra.length > 0 ? 45 : 20, 0x0800, 0, 0, 0x0021),
    numbers(4, crc32, least, least),
    numbers(2, Buffer.byteLength(path), extra.length),
  ]);
}

/** The extra field for those of the numbers that do not fit into 4 bytes (APPNOTE.TXT, 4.5.3). */
function wide(...values: number[]): Buffer {
  const large = values.filter((value) => value >= WIDE);
  return Buffer.concat(large.length === 0 ? [] : [numbers(2, 1, 8 * large.length), numbers(8, ...large)]);
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

/** Numbers of so many bytes each, the lowest byte first. */
function numbers(width: 2 | 4 | 8, ...values: number[]): Buffer {
  const bytes = Buffer.alloc(width * values.length);
  for (const [position, value] of values.entries()) {
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), position * width);
    else bytes.writeUIntLE(value, position * width, width);
  }
  return bytes;
}
