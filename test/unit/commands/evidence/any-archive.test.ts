import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MANIFEST } from '../../../../commands/evidence/manifest.ts';
import { verify } from '../../../../commands/evidence/verify.ts';
import { holds } from '../../../helpers/any-input.ts';
import { openFolder } from '../../../helpers/signer-files.ts';
import { faultsOf, packSmall, type SmallArchive } from '../../../helpers/small-archive.ts';
import { filesOf, pack } from '../../../helpers/tampered-archive.ts';
import { type ListLine, unicodePath, withList } from '../../../helpers/zip-list.ts';

const folder = openFolder();
const path = folder.path('hostile.zip');
const whole = readFileSync(await packSmall(path));

const MB = 1024 * 1024;

/** The faults of the archive at `path`. The check of an archive with so few bytes may take no more memory than this. */
async function faults(): Promise<string[]> {
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = used();
  const found = await faultsOf(path);
  expect(used() - before).toBeLessThan(128 * MB);
  return found;
}

type Change = (archive: Buffer) => Buffer;

const number = fc.oneof(fc.constantFrom(0, 1, 8, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff), fc.nat(whole.length));
const name = fc.constantFrom(
  '../x',
  '/x',
  'x\0',
  'record/',
  'record/order.json',
  'RECORD/ORDER.JSON',
  '',
  'x'.repeat(999),
);

/** Changes a line of the list of files. The numbers are the places of its fields: flags, method, sizes, attributes, offset and so on. */
const lineChange: fc.Arbitrary<(line: ListLine) => void> = fc.oneof(
  fc
    .tuple(fc.constantFrom(4, 6, 8, 10, 12, 14, 16, 20, 24, 34, 36, 38, 42), number)
    .map(([at, value]) => ({ header }: ListLine) => {
      if (at < 16 || at === 34 || at === 36) header.writeUInt16LE(value & 0xffff, at);
      else header.writeUInt32LE(value, at);
    }),
  name.map((other) => (line: ListLine) => void Object.assign(line, { name: Buffer.from(other) })),
  name.map((other) => (line: ListLine) => void Object.assign(line, { extra: unicodePath(line.name, other) })),
  fc
    .uint8Array({ maxLength: 40 })
    .map((extra) => (line: ListLine) => void Object.assign(line, { extra: Buffer.from(extra) })),
  fc
    .uint8Array({ maxLength: 40 })
    .map((comment) => (line: ListLine) => void Object.assign(line, { comment: Buffer.from(comment) })),
  // A file that unpacks to 4 GB.
  fc.constant(({ header }: ListLine) => {
    header.writeUInt16LE(8, 10);
    header.writeUInt32LE(0xfffffffe, 24);
  }),
);

const listChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(2), lineChange).map(
    ([at, change]) =>
      (archive: Buffer) =>
        withList(archive, (lines) => void (lines[at] && change(lines[at]))),
  ),
  fc.tuple(fc.nat(2), fc.nat(2)).map(
    ([from, to]) =>
      (archive: Buffer) =>
        withList(
          archive,
          (lines) =>
            void (lines[from] && lines.splice(to, 0, { ...lines[from], header: Buffer.from(lines[from].header) })),
        ),
  ),
  fc.nat(2).map((at) => (archive: Buffer) => withList(archive, (lines) => void lines.splice(at, 1))),
  fc.constant((archive: Buffer) => withList(archive, (lines) => void lines.reverse())),
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
  fc.tuple(fc.constantFrom(4, 6, 8, 10, 12, 16, 20), number).map(([at, value]) => (archive: Buffer) => {
    const field = archive.length - 22 + at;
    if (field < 0) return archive;
    if (at === 12 || at === 16) archive.writeUInt32LE(value, field);
    else archive.writeUInt16LE(value & 0xffff, field);
    return archive;
  }),
  fc.constant((archive: Buffer) => Buffer.concat([archive, archive.subarray(-22)])),
  fc.constant((archive: Buffer) => Buffer.concat([archive.subarray(-22), archive])),
  fc.constant((archive: Buffer) => Buffer.concat([archive, archive])),
  wideEnd.map((end) => (archive: Buffer) => {
    const last = Buffer.from(archive.subarray(-22));
    if (last.length === 22) last.writeUInt32LE(0xffffffff, 16);
    return Buffer.concat([archive.subarray(0, -22), end, last]);
  }),
);

test('any archive that differs from what we write has a fault', () =>
  holds(
    fc.tuple(fc.array(listChange, { maxLength: 2 }), fc.array(byteChange, { maxLength: 2 })),
    1_000,
    async ([lists, bytes]) => {
      const changed = [...lists, ...bytes].reduce<Buffer>((archive, change) => change(archive), Buffer.from(whole));
      writeFileSync(path, changed);
      expect((await faults()).length > 0).toBe(!changed.equals(whole));
    },
  ));

describe('a file that was made to fill the memory is a fault:', () => {
  const list = (value: string, count: number) => `[${Array(count).fill(value).join(',')}]`;
  const facts = Array.from({ length: 99_000 }, (_, at) => `"${at}":[]`).join(',');
  const line = '"number":1,"item":"a","at":"b","what":"c","chain":"d"';

  test.each([
    ['brackets', '['.repeat(7 * MB)],
    ['lists in lists', '['.repeat(99_000) + ']'.repeat(99_000)],
    ['one text', `{"about":"${'x'.repeat(7 * MB)}"}`],
    ['spaces', `${' '.repeat(7 * MB)}{}`],
    ['objects', list('{}', 2_500_000)],
    ['files that are none', `{"files":${list('{}', 9_999)}}`],
    ['more files than an order has', `{"files":${list('{}', 10_001)}}`],
  ])('a manifest of %s', async (_name, text) => {
    await pack(path, new Map([[MANIFEST, Buffer.from(text)]]));
    expect(await faults()).toEqual([expect.stringContaining('manifest unreadable')]);
  });

  test.each([
    ['lines that are none', list('{}', 99_000)],
    ['facts that are none', `[{${line},"facts":{${facts}}}]`],
  ])('a timeline of %s', async (_name, timeline) => {
    await packSmall(path, { timeline });
    expect(await faults()).toEqual([expect.stringContaining('timeline unreadable')]);
  });
});

const long = '\u4e2d'.repeat(2 * MB);

test.each<[string, SmallArchive]>([
  ['in the manifest', { about: { writtenBy: long } }],
  ['as a time of the manifest', { about: { writtenAt: `2026-01-01T00:00:00.${'0'.repeat(6 * MB)}Z` } }],
  ['as a name in the manifest', { about: { [long]: '' } }],
  [
    'in the timeline',
    { timeline: JSON.stringify([{ number: 9, item: '', at: '', what: long, facts: {}, chain: '' }]) },
  ],
])('a very long text %s is a fault, and is not printed', async (_where, archive) => {
  const { lines, exitCode } = await verify(await packSmall(path, archive), undefined);
  expect(exitCode).toBe(1);
  expect(lines.join('').length).toBeLessThan(10_000);
});

test('a manifest with a byte that is no UTF-8 is a fault', async () => {
  const files = await filesOf(await packSmall(path, { about: { writtenBy: '\ufffd' } }));
  const text = files.get(MANIFEST)?.toString('latin1').replace('\xef\xbf\xbd', '\xff') ?? '';
  await pack(path, files.set(MANIFEST, Buffer.from(text, 'latin1')));
  expect(await faultsOf(path)).toEqual([`${MANIFEST}: manifest unreadable. It is not written as we write it.`]);
});
