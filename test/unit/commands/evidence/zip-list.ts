import { crc32 } from 'node:zlib';

/** A line of the list of files at the end of an archive: 46 bytes, and what follows them. */
export interface ListLine {
  header: Buffer;
  name: Buffer;
  extra: Buffer;
  comment: Buffer;
}

/** Changes the list of files of an archive. The files stay as they are, and the end fits the new list. */
export function withList(archive: Buffer, change: (lines: ListLine[]) => void): Buffer {
  const end = Buffer.from(archive.subarray(-22));
  const start = end.readUInt32LE(16);
  const lines: ListLine[] = [];
  for (let at = start; at < archive.length - 22; ) {
    const header = Buffer.from(archive.subarray(at, at + 46));
    at += 46;
    const [name, extra, comment] = [28, 30, 32].map((field) => {
      at += header.readUInt16LE(field);
      return Buffer.from(archive.subarray(at - header.readUInt16LE(field), at));
    }) as [Buffer, Buffer, Buffer];
    lines.push({ header, name, extra, comment });
  }
  change(lines);
  const list = Buffer.concat(lines.flatMap(bytesOf));
  end.writeUInt16LE(lines.length, 8);
  end.writeUInt16LE(lines.length, 10);
  end.writeUInt32LE(list.length, 12);
  return Buffer.concat([archive.subarray(0, start), list, end]);
}

function bytesOf({ header, name, extra, comment }: ListLine): Buffer[] {
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt16LE(comment.length, 32);
  return [header, name, extra, comment];
}

/** The Unicode Path extra field (0x7075), which gives the file another name. */
export function unicodePath(name: Buffer, other: string): Buffer {
  const fields = Buffer.alloc(9);
  fields.writeUInt16LE(0x7075, 0);
  fields.writeUInt16LE(5 + Buffer.byteLength(other), 2);
  fields.writeUInt8(1, 4);
  fields.writeUInt32LE(crc32(name), 5);
  return Buffer.concat([fields, Buffer.from(other)]);
}
