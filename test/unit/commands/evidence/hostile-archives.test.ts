import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openArchive } from '../../../../commands/evidence/archive-reader.ts';
import {
  FORMAT,
  MANIFEST,
  type Manifest,
  manifestOf,
  ORDER,
  TIMELINE,
} from '../../../../commands/evidence/manifest.ts';
import { timelineLines, timelineStart } from '../../../../commands/evidence/record-files.ts';
import { verify } from '../../../../commands/evidence/verify.ts';
import type { OrderDetails } from '../../../../commands/stage/record.ts';
import { openFolder, run } from '../../../helpers/signer-files.ts';
import { type Files, pack } from '../../../helpers/tampered-archive.ts';

const folder = openFolder();
const path = folder.path('hostile.zip');

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const list = (name: string, bytes: Buffer) => ({ path: name, what: 'x', size: bytes.length, sha256: sha256(bytes) });

/** An archive of an order with one line, whose manifest was changed and chained anew. */
async function packed({
  about = {},
  listed = (files) => files,
  left = [],
  timeline,
}: {
  about?: Partial<Manifest['about']>;
  listed?: (files: ReturnType<typeof list>[]) => ReturnType<typeof list>[];
  left?: string[];
  timeline?: string;
} = {}): Promise<string> {
  const line = { orderRef: 'x', item: 'event#2026-01-01T00:00:00.000Z#a', at: '2026-01-01T00:00:00.000Z', what: 'A' };
  const details = { order: { orderRef: 'x' }, timeline: [line] } as unknown as OrderDetails;
  const lines = timelineLines(details);
  const contents: [string, Buffer][] = [
    [ORDER, Buffer.from('{}')],
    [TIMELINE, Buffer.from(timeline ?? JSON.stringify(lines))],
  ];
  const all = {
    format: FORMAT,
    orderRef: 'x',
    stage: 'local',
    writtenAt: '2026-01-01T00:00:00.000Z',
    writtenBy: 'somebody',
    signed: false,
    timeline: { lines: 1, head: lines.at(-1)?.chain ?? timelineStart('x') },
    ...about,
  } as Manifest['about'];
  const kept = contents.filter(([name]) => !left.includes(name));
  const manifest = manifestOf(all, listed(kept.map(([name, bytes]) => list(name, bytes))));
  const files: Files = new Map([...kept, [MANIFEST, Buffer.from(JSON.stringify(manifest))]]);
  return pack(path, files);
}

async function faultsOf(archive: string): Promise<string[]> {
  const { json } = await verify(archive, undefined);
  return (json as { faults: { file?: string; fault: string; message: string }[] }).faults.map(
    ({ file, fault, message }) => `${file ?? ''}: ${fault}. ${message}`,
  );
}

describe('what is no file is refused, and never waited for:', () => {
  test.each([
    ['a folder', () => mkdirSync(folder.path('folder')), 'folder'],
    ['a pipe', () => run('mkfifo', [folder.path('pipe')]), 'pipe'],
  ])('%s', async (_kind, make, name) => {
    await make();
    await expect(verify(folder.path(name), undefined)).rejects.toThrow('is no file: nothing was checked.');
  });

  test('a device', async () => {
    await expect(verify('/dev/zero', undefined)).rejects.toThrow('/dev/zero is no file: nothing was checked.');
  });
});

test('the archive that the others are made of has no fault', async () => {
  expect(await faultsOf(await packed())).toEqual([]);
});

test('a timeline that has fewer lines than the manifest says is one fault, however many are missing', async () => {
  const lines = 9_000_000_000_000_000;
  const faults = await faultsOf(await packed({ about: { timeline: { lines, head: '0'.repeat(64) } } }));
  expect(faults).toEqual([`${TIMELINE}: timeline line removed. Lines 2 to ${lines} are missing.`]);
});

test('a file that the manifest lists twice is a fault, and is read once', async () => {
  const faults = await faultsOf(await packed({ listed: (files) => [...files, ...files.slice(0, 1)] }));
  expect(faults).toEqual([`${ORDER}: name twice. The manifest lists it more than once.`]);
});

test.each([
  [TIMELINE, `${TIMELINE}: timeline unreadable. It is missing, so its lines were not checked.`],
  [ORDER, `${ORDER}: timeline unreadable. It is missing, so the chain of the record was not checked.`],
])('an archive without %s is not whole, even if its manifest does not list it', async (name, fault) => {
  expect(await faultsOf(await packed({ left: [name] }))).toEqual([fault]);
});

test('a timeline that is too large to be read is a fault', async () => {
  const [fault, ...others] = await faultsOf(await packed({ timeline: ' '.repeat(65 * 1024 * 1024) }));
  expect(others).toEqual([]);
  expect(fault).toBe(`${TIMELINE}: timeline unreadable. It is too large, so its lines were not checked.`);
});

test('an archive of 3 GB whose list of files is said to be that large is refused without being read', async () => {
  await packed();
  const size = 3 * 1024 ** 3;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(size - 22, 12);
  truncateSync(path, 0);
  const file = openSync(path, 'r+');
  ftruncateSync(file, size);
  writeSync(file, end, 0, 22, size - 22);
  closeSync(file);
  const faults = await faultsOf(path);
  truncateSync(path, 0);
  expect(faults[0]).toBe(': not a whole archive. Its list of files is larger than that of any order.');
});

test('an archive of very many files is refused', async () => {
  // 46 bytes and a name for each, without the files themselves.
  const count = 101;
  const entry = Buffer.alloc(47);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(1, 28);
  entry.write('x', 46);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(entry.length * count, 12);
  writeFileSync(path, Buffer.concat([...Array.from({ length: count }, () => entry), end]));
  const { faults, close } = await openArchive(path, 100);
  await close();
  expect(faults.map(({ message }) => message)).toEqual(['Its list of files is larger than that of any order.']);
});
