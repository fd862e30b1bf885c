import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_FILES } from '../../../../commands/evidence/archive.ts';
import { ALWAYS, MANIFEST, type Manifest, manifestText } from '../../../../commands/evidence/manifest.ts';
import { verify } from '../../../../commands/evidence/verify.ts';
import { holds } from '../../../helpers/any-input.ts';
import { faultsOf, filesOf, pack, packSmall, type SmallArchive } from '../../../helpers/packed-archive.ts';
import { openFolder, run } from '../../../helpers/signer-files.ts';
import { type ListLine, unicodePath, withList } from './zip-list.ts';

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
  expect(used() - before).toBeLessThan(256 * MB);
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
])('%s is not a file: it is refused, and never waited for', async (_kind, make, name) => {
  await make();
  await expect(verify(name, undefined)).rejects.toThrow(`${name} is not a file: nothing was checked.`);
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
  const archive = withList(whole, ([line]) => line && change(line));
  writeFileSync(path, archive);
  expect(await faults()).toEqual(NOT_AS_PACKED);
});

test('names that lead elsewhere, or that some file system does not take, are unsafe', async () => {
  const others = ['C:x', 'x\0y', 'x\u202ey', 'x.', 'a/NUL.txt', 'no extension'];
  const names = ['../x.a', 'a/../../x', '/x', 'a//x', 'a\\x', ...others];
  await packSmall(path, { more: names.map((name) => [name, Buffer.from('x')]) });
  expect(await faults()).toEqual(names.map(() => expect.stringContaining(': unsafe name.')));
});

test('names that some file system takes for the same are unsafe', async () => {
  await packSmall(path, { more: ['a.pdf', 'A.pdf', 'a-c.pdf'].map((name) => [name, Buffer.from('x')]) });
  expect(await faults()).toEqual([expect.stringMatching(/^A\.pdf: unsafe name\./)]);
});

type Change = (archive: Buffer) => Buffer;

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(2), fc.constantFrom(...lists)).map(
    ([at, [, changed]]) =>
      (archive: Buffer) =>
        withList(archive, (lines) => lines[at] && changed(lines[at])),
  ),
  fc.nat(whole.length).map((length) => (archive: Buffer) => archive.subarray(0, length)),
  fc.tuple(fc.nat(), fc.nat(255)).map(([at, value]) => (archive: Buffer) => {
    archive[at % archive.length] = value;
    return archive;
  }),
  fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 60 })).map(([at, bytes]) => (archive: Buffer) => {
    const place = at % (archive.length + 1);
    return Buffer.concat([archive.subarray(0, place), bytes, archive.subarray(place)]);
  }),
  fc.constantFrom<Change>(
    (archive) => Buffer.concat([archive, archive.subarray(-22)]),
    (archive) => Buffer.concat([archive, archive]),
  ),
);

test('any archive that differs from what we write has a fault, or the same files', () =>
  holds(change, 75, async (changed) => {
    writeFileSync(path, changed(Buffer.from(whole)));
    if ((await faults()).length === 0) expect(await filesOf(path)).toEqual(files);
  }));

const list = (value: string, count: number) => `[${Array(count).fill(value).join(',')}]`;

test.each([
  ['lists in lists', '['.repeat(99_000) + ']'.repeat(99_000)],
  ['spaces', `${' '.repeat(MB)}{}`],
  ['objects', list('{}', 250_000)],
  ['files that are none', `{"files":${list('{}', 9_999)}}`],
  ['more files than an order has', `{"files":${list('{}', 10_001)}}`],
])('a manifest of %s is unreadable, and does not fill the memory', async (_name, text) => {
  await pack(path, new Map([[MANIFEST, Buffer.from(text)]]));
  expect(await faults()).toEqual([expect.stringContaining('manifest unreadable')]);
});

const long = '\u4e2d'.repeat(20_000);

test('very long texts in the manifest are a fault, and are not printed', async () => {
  const about = { writtenBy: long, [long]: '', writtenAt: `2026-01-01T00:00:00.${'0'.repeat(20_000)}Z` };
  const { lines, exitCode } = await verify(await packSmall(path, { about }), undefined);
  expect(exitCode).toBe(1);
  expect(lines.join('').length).toBeLessThan(10_000);
});

test.each<[string, SmallArchive, string]>([
  ['lists a file twice', { listed: (all) => [...all, ...all.slice(0, 1)] }, 'It lists a file more than once.'],
  ...ALWAYS.map((name): [string, SmallArchive, string] => [
    `leaves out ${name}`,
    { left: [name] },
    `It does not list ${name}, which every archive has.`,
  ]),
])('a manifest that %s is unreadable', async (_how, archive, message) => {
  expect(await faultsOf(await packSmall(path, archive))).toEqual([`${MANIFEST}: manifest unreadable. ${message}`]);
});

test('a manifest with a byte that is no UTF-8 is unreadable', async () => {
  const packed = await filesOf(await packSmall(path, { about: { writtenBy: '\ufffd' } }));
  const text = packed.get(MANIFEST)?.toString('latin1').replace('\xef\xbf\xbd', '\xff') ?? '';
  await pack(path, packed.set(MANIFEST, Buffer.from(text, 'latin1')));
  expect(await faultsOf(path)).toEqual([`${MANIFEST}: manifest unreadable. It is not written as we write it.`]);
});

test('an archive of 3 GB that has no files, and one of very many files, are refused', async () => {
  writeFileSync(path, '');
  truncateSync(path, 3 * 1024 ** 3);
  expect(await faults()).toEqual(NOT_AS_PACKED);
  const many = withList(whole, (lines) => {
    while (lines.length <= MOST_FILES) lines.push(...lines.slice(0, 1));
  });
  writeFileSync(path, many);
  expect(await faults()).toEqual(NOT_AS_PACKED);
});

test.each([
  ['without facts', { about: {}, files: [] }],
  ['of too many files', { about: {}, files: Array(MOST_FILES - 1).fill({}) }],
])('no archive is written whose manifest the check would not read: one %s', (_what, manifest) => {
  expect(() => manifestText(manifest as unknown as Manifest)).toThrow(
    'The check would not read its manifest: no archive was written.',
  );
});
