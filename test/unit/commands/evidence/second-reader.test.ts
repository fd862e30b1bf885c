import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { directory, localHeader } from '../../../../commands/evidence/archive-format.ts';
import { openArchive } from '../../../../commands/evidence/archive-reader.ts';
import { openFolder } from '../../../helpers/signer-files.ts';
import { faultsOf, packSmall } from '../../../helpers/small-archive.ts';
import { filesOf } from '../../../helpers/tampered-archive.ts';
import { type ListLine, unicodePath, withList } from '../../../helpers/zip-list.ts';

const folder = openFolder();
const path = folder.path('archive.zip');

/** Reads an archive by its list and unpacks it, as people do who trust it. */
const PYTHON = `
import hashlib, json, os, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
read = [[i.filename, hashlib.sha256(archive.read(i)).hexdigest()] for i in archive.infolist()]
archive.extractall(sys.argv[2])
found = [os.path.relpath(os.path.join(f, n), sys.argv[2]) for f, _, names in os.walk(sys.argv[2]) for n in names]
print(json.dumps({'read': read, 'unpacked': sorted(found)}))
`;

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version']);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasPython())("Python's zipfile", () => {
  test('reads and unpacks the same names and contents from an archive that is whole', async () => {
    await packSmall(path, {
      more: [
        ['to-sign/round-1/Заявление ё.pdf', Buffer.from('bytes')],
        ['package/documents/empty.pdf', Buffer.alloc(0)],
      ],
    });
    expect(await faultsOf(path)).toEqual([]);
    const ours = [...(await filesOf(path))].map(([name, bytes]) => [
      name,
      createHash('sha256').update(bytes).digest('hex'),
    ]);
    const answer = execFileSync('python3', ['-c', PYTHON, path, folder.path('unpacked')], { encoding: 'utf8' });
    const names = ours.map(([name]) => name).sort();
    expect(JSON.parse(answer)).toEqual({ read: ours, unpacked: names });
  });
});

describe.skipIf(!hasPython())('an archive of more than 4 GB', () => {
  const large = { path: 'large.bin', size: 5 * 1024 ** 3, crc32: 1 };
  const small = { path: 'small.txt', size: 3, crc32: crc32('abc') };
  const [before, between] = [localHeader(large), localHeader(small)];

  test('is laid out as Python reads it, and as the check reads it', async () => {
    const file = openSync(path, 'w');
    let at = before.length + large.size;
    writeSync(file, before, 0, before.length, 0);
    for (const bytes of [between, Buffer.from('abc'), directory([large, small])])
      at += writeSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
    const script = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(json.dumps([[i.filename, i.file_size, i.header_offset] for i in archive.infolist()] + [archive.read('small.txt').decode()]))`;
    const read = execFileSync('python3', ['-c', script, path], { encoding: 'utf8' });
    expect(JSON.parse(read)).toEqual([
      ['large.bin', large.size, 0],
      ['small.txt', 3, before.length + large.size],
      'abc',
    ]);
    const { files, faults, close } = await openArchive(path);
    expect(faults).toEqual([]);
    expect([...files.values()].map((one) => [one.path, one.size])).toEqual([
      ['large.bin', large.size],
      ['small.txt', 3],
    ]);
    await close();
    truncateSync(path, 0);
  });
});

/** What other programs obey in the list of files, and we never write. */
const lists: [name: string, change: (line: ListLine) => void][] = [
  [
    'another name in an extra field',
    (line) => Object.assign(line, { extra: unicodePath(line.name, 'record/other.json') }),
  ],
  ['an extra field without a meaning', (line) => Object.assign(line, { extra: Buffer.from([0xfe, 0xca, 0, 0]) })],
  ['a name that is no UTF-8', (line) => Object.assign(line, { name: Buffer.alloc(0xffff, 0xff) })],
  ['a comment', (line) => Object.assign(line, { comment: Buffer.from('Approved') })],
  [
    'the attributes of a symbolic link',
    ({ header }) => {
      header.writeUInt16LE(0x0314, 4);
      header.writeUInt32LE(0o120777 * 0x10000, 38);
    },
  ],
  ['the attribute of a folder', ({ header }) => header.writeUInt32LE(0x10, 38)],
  ['another time', ({ header }) => header.writeUInt16LE(0x1234, 12)],
  ['another version of ZIP', ({ header }) => header.writeUInt16LE(63, 6)],
  ['the text bit', ({ header }) => header.writeUInt16LE(1, 36)],
];

describe('an archive that other programs could read in another way is not whole:', () => {
  test.each(lists)('%s in the list of files', async (_name, change) => {
    const bytes = readFileSync(await packSmall(path));
    writeFileSync(
      path,
      withList(bytes, ([line]) => line && change(line)),
    );
    expect(await faultsOf(path)).toEqual([expect.stringContaining('not as it was packed')]);
  });

  test('a comment of the whole archive', async () => {
    const bytes = readFileSync(await packSmall(path));
    bytes.writeUInt16LE(1, bytes.length - 2);
    writeFileSync(path, Buffer.concat([bytes, Buffer.from('x')]));
    expect(await faultsOf(path)).not.toEqual([]);
  });

  test.each(['../x', 'a/../../x', '/x', 'a//x', 'a\\x', 'C:x', 'a/', 'x\0y', 'x\u202ey', 'x.'])(
    'the name %j',
    async (name) => {
      await packSmall(path, { more: [[name, Buffer.from('x')]] });
      expect(await faultsOf(path)).toEqual([expect.stringContaining('unsafe name')]);
    },
  );

  test('a local header with another name, which programs that read from the front obey', async () => {
    const bytes = readFileSync(await packSmall(path));
    bytes.write('X', 30);
    writeFileSync(path, bytes);
    expect(await faultsOf(path)).toEqual([expect.stringContaining('not as it was packed')]);
  });
});
