import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MOST_FILES } from '../../../../commands/evidence/archive.ts';
import { ALWAYS, MANIFEST } from '../../../../commands/evidence/contents.ts';
import { manifestText } from '../../../../commands/evidence/manifest.ts';
import { verify } from '../../../../commands/evidence/verify.ts';
import { holds } from '../../../helpers/any-input.ts';
import { faultsOf, filesOf, pack, packSmall, type SmallArchive } from '../../../helpers/packed-archive.ts';
import { openFolder, run } from '../../../helpers/signer-files.ts';
import { type ListLine, unicodePath, withList } from '../../../helpers/zip-list.ts';

const MB = 1024 * 1024;
const folder = openFolder();
const path = folder.path('hostile.zip');
const whole = readFileSync(await packSmall(path));
const files = await filesOf(path);
const NOT_AS_PACKED = [expect.stringContaining(': not as it was packed.')];

/** The faults of the archive at `path`. The check of an archive with so few bytes may take no more memory than this. */
async function faults(): Promise<string[]> {
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = used();
  const found = await faultsOf(path);
  expect(used() - before).toBeLessThan(128 * MB);
  return found;
}

test('the archive that the others are made of has no fault', async () => {
  writeFileSync(path, whole);
  expect(await faults()).toEqual([]);
});

test.each([
  ['a folder', () => mkdirSync(folder.path('it')), folder.path('it')],
  ['a pipe', () => run('mkfifo', [folder.path('pipe')]), folder.path('pipe')],
  ['a device', () => undefined, '/dev/zero'],
])('%s is no file: it is refused, and never waited for', async (_kind, make, name) => {
  await make();
  await expect(verify(name, undefined)).rejects.toThrow(`${name} is no file: nothing was checked.`);
});

/** What other programs obey in the list of files, and we never write. */
const lists: [name: string, change: (line: ListLine) => unknown][] = [
  ['another name in an extra field', (line) => Object.assign(line, { extra: unicodePath(line.name, 'record/x.json') })],
  ['an extra field without a meaning', (line) => Object.assign(line, { extra: Buffer.from([0xfe, 0xca, 0, 0]) })],
  ['a name that is no UTF-8', (line) => Object.assign(line, { name: Buffer.alloc(0xffff, 0xff) })],
  ['a comment', (line) => Object.assign(line, { comment: Buffer.from('Approved') })],
  ['a symbolic link', ({ header }) => header.writeUInt16LE(0x0314, 4) && header.writeUInt32LE(0xa1ff0000, 38)],
  ['the attribute of a folder', ({ header }) => header.writeUInt32LE(0x10, 38)],
  ['a file that unpacks to 4 GB', ({ header }) => header.writeUInt16LE(8, 10) && header.writeUInt32LE(0xfffffffe, 24)],
];

test.each(lists)('%s in the list of files is a fault', async (_name, change) => {
  writeFileSync(
    path,
    withList(whole, ([line]) => line && change(line)),
  );
  expect(await faults()).toEqual(NOT_AS_PACKED);
});

test.each(['../x', 'a/../../x', '/x', 'a//x', 'a\\x', 'C:x', 'x\0y', 'x\u202ey', 'x.', 'a/NUL.txt'])(
  'the name %j is unsafe',
  async (name) => {
    await packSmall(path, { more: [[name, Buffer.from('x')]] });
    expect(await faults()).toEqual([expect.stringContaining(': unsafe name.')]);
  },
);

test.each([
  ['a', 'A'],
  ['a', 'A/b'],
])('the names %j and %j do not fit beside each other', async (...names) => {
  await packSmall(path, { more: [...names, 'a-c'].map((name) => [name, Buffer.from('x')]) });
  expect(await faults()).toEqual([`${names[1]}: name twice. Another file has this name, or that of its folder.`]);
});

type Change = (archive: Buffer) => Buffer;

const number = fc.oneof(fc.constantFrom(0, 1, 8, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff), fc.nat(whole.length));
const fields: fc.Arbitrary<(line: ListLine) => unknown> = fc
  .tuple(fc.constantFrom(4, 6, 8, 10, 12, 14, 16, 20, 24, 34, 36, 38, 42), number)
  .map(([at, value]) => ({ header }) => {
    if (at < 16 || at === 34 || at === 36) header.writeUInt16LE(value & 0xffff, at);
    else header.writeUInt32LE(value, at);
  });
const listChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(2), fc.oneof(fields, fc.constantFrom(...lists.map(([, change]) => change)))).map(
    ([at, change]) =>
      (archive: Buffer) =>
        withList(archive, (lines) => lines[at] && change(lines[at])),
  ),
  fc.tuple(fc.nat(2), fc.nat(2), fc.nat(1)).map(
    ([from, to, removed]) =>
      (archive: Buffer) =>
        withList(archive, (lines) => {
          const [line] = lines.slice(from, from + 1);
          if (line) lines.splice(to, removed, { ...line, header: Buffer.from(line.header) });
        }),
  ),
);

/** The end of an archive of more than 4 GB, with any numbers. */
const wideEnd = fc.array(number, { minLength: 6, maxLength: 6 }).map((values) => {
  const end = Buffer.alloc(76);
  end.writeUInt32LE(0x06064b50, 0);
  for (const [at, value] of values.entries()) end.writeBigUInt64LE(BigInt(value), [4, 24, 32, 40, 48, 64][at]);
  end.writeUInt32LE(0x07064b50, 56);
  return end;
});

const byteChange: fc.Arbitrary<Change> = fc.oneof(
  fc.nat(whole.length).map((length) => (archive: Buffer) => archive.subarray(0, length)),
  fc.tuple(fc.nat(), fc.nat(255)).map(([at, value]) => (archive: Buffer) => {
    archive[at % archive.length] = value;
    return archive;
  }),
  fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 60 })).map(([at, bytes]) => (archive: Buffer) => {
    const place = at % (archive.length + 1);
    return Buffer.concat([archive.subarray(0, place), bytes, archive.subarray(place)]);
  }),
  fc.tuple(fc.constantFrom(4, 6, 8, 10, 12, 16, 18), number).map(([at, value]) => (archive: Buffer) => {
    const field = archive.length - 22 + at;
    if (field >= 0) archive.writeUInt32LE(value, field);
    return archive;
  }),
  fc.constantFrom<Change>(
    (archive) => Buffer.concat([archive, archive.subarray(-22)]),
    (archive) => Buffer.concat([archive.subarray(-22), archive]),
    (archive) => Buffer.concat([archive, archive]),
  ),
  wideEnd.map((end) => (archive: Buffer) => {
    const last = Buffer.from(archive.subarray(-22));
    if (last.length === 22) last.writeUInt32LE(0xffffffff, 16);
    return Buffer.concat([archive.subarray(0, -22), end, last]);
  }),
);

test('any archive that differs from what we write has a fault, or the same files', () =>
  holds(
    fc.tuple(fc.array(listChange, { maxLength: 2 }), fc.array(byteChange, { maxLength: 2 })),
    1_000,
    async ([inList, inBytes]) => {
      const changed = [...inList, ...inBytes].reduce<Buffer>((archive, change) => change(archive), Buffer.from(whole));
      writeFileSync(path, changed);
      if ((await faults()).length === 0) expect(await filesOf(path)).toEqual(files);
    },
  ));

describe('a manifest that was made to fill the memory is unreadable:', () => {
  const list = (value: string, count: number) => `[${Array(count).fill(value).join(',')}]`;

  test.each([
    ['brackets', '['.repeat(7 * MB)],
    ['lists in lists', '['.repeat(99_000) + ']'.repeat(99_000)],
    ['one text', `{"about":"${'x'.repeat(7 * MB)}"}`],
    ['spaces', `${' '.repeat(7 * MB)}{}`],
    ['more than it may have', `${' '.repeat(9 * MB)}{}`],
    ['objects', list('{}', 2_500_000)],
    ['files that are none', `{"files":${list('{}', 9_999)}}`],
    ['more files than an order has', `{"files":${list('{}', 10_001)}}`],
  ])('%s', async (_name, text) => {
    await pack(path, new Map([[MANIFEST, Buffer.from(text)]]));
    expect(await faults()).toEqual([expect.stringContaining('manifest unreadable')]);
  });
});

const long = '\u4e2d'.repeat(2 * MB);

test.each<[string, SmallArchive]>([
  ['in the manifest', { about: { writtenBy: long } }],
  ['as a time of the manifest', { about: { writtenAt: `2026-01-01T00:00:00.${'0'.repeat(6 * MB)}Z` } }],
  ['as a name in the manifest', { about: { [long]: '' } }],
])('a very long text %s is a fault, and is not printed', async (_where, archive) => {
  const { lines, exitCode } = await verify(await packSmall(path, archive), undefined);
  expect(exitCode).toBe(1);
  expect(lines.join('').length).toBeLessThan(10_000);
});

test.each<[string, SmallArchive, string]>([
  ['lists a file twice', { listed: (files) => [...files, ...files.slice(0, 1)] }, 'It lists a file more than once.'],
  ...ALWAYS.map((name): [string, SmallArchive, string] => [
    `leaves out ${name}`,
    { left: [name] },
    `It does not list ${name}, which every archive has.`,
  ]),
])('a manifest that %s is unreadable', async (_how, archive, message) => {
  expect(await faultsOf(await packSmall(path, archive))).toEqual([`${MANIFEST}: manifest unreadable. ${message}`]);
});

test('a manifest with a byte that is no UTF-8 is unreadable', async () => {
  const files = await filesOf(await packSmall(path, { about: { writtenBy: '\ufffd' } }));
  const text = files.get(MANIFEST)?.toString('latin1').replace('\xef\xbf\xbd', '\xff') ?? '';
  await pack(path, files.set(MANIFEST, Buffer.from(text, 'latin1')));
  expect(await faultsOf(path)).toEqual([`${MANIFEST}: manifest unreadable. It is not written as we write it.`]);
});

test('an archive of 3 GB that has no files is refused without being read', async () => {
  writeFileSync(path, '');
  truncateSync(path, 3 * 1024 ** 3);
  expect(await faults()).toEqual(NOT_AS_PACKED);
  truncateSync(path, 0);
});

test('an archive of very many files is refused', async () => {
  const many = withList(whole, (lines) => {
    while (lines.length <= MOST_FILES) lines.push(...lines.slice(0, 1));
  });
  writeFileSync(path, many);
  expect(await faults()).toEqual(NOT_AS_PACKED);
});

test('no archive is written that the check would not read', async () => {
  const files = new Map(Array.from({ length: MOST_FILES + 1 }, (_, at) => [`${at}`, Buffer.alloc(0)]));
  await expect(pack(path, files)).rejects.toThrow(`It would hold more than ${MOST_FILES} files`);
  const manifest = { about: {}, files: [] } as unknown as Parameters<typeof manifestText>[0];
  expect(() => manifestText(manifest)).toThrow('The check would not read its manifest: no archive was written.');
});
