import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { directory, MOST_FILES } from '../../../../commands/evidence/archive-format.ts';
import { ArchiveWriter } from '../../../../commands/evidence/archive-writer.ts';
import { MANIFEST, ORDER, TIMELINE } from '../../../../commands/evidence/manifest.ts';
import { verify } from '../../../../commands/evidence/verify.ts';
import { makeSigner, toPem } from '../../../../packages/detached-signatures/certificates.ts';
import { keyPem, openFolder, run } from '../../../helpers/signer-files.ts';
import { faultsOf, packSmall, type SmallArchive } from '../../../helpers/small-archive.ts';
import { pack } from '../../../helpers/tampered-archive.ts';

const MB = 1024 * 1024;
const folder = openFolder();
const path = folder.path('hostile.zip');

const packed = (archive?: SmallArchive) => packSmall(path, archive);

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
  [ORDER, `${ORDER}: timeline unreadable. It is missing, so it was not checked.`],
])('an archive without %s is not whole, even if its manifest does not list it', async (name, fault) => {
  expect(await faultsOf(await packed({ left: [name] }))).toEqual([fault]);
});

test('a timeline that is too large to be read is a fault', async () => {
  const [fault, ...others] = await faultsOf(await packed({ timeline: ' '.repeat(17 * 1024 * 1024) }));
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
  const entries = Array.from({ length: MOST_FILES + 1 }, () => ({ path: 'x', size: 0, crc32: 0 }));
  const list = directory(entries);
  writeFileSync(path, Buffer.concat([Buffer.alloc(list.readUInt32LE(list.length - 6)), list]));
  expect(await faultsOf(path)).toEqual([': not a whole archive. Its list of files is larger than that of any order.']);
});

test('an order with more files than the check reads gets no archive', async () => {
  const files = new Map(Array.from({ length: MOST_FILES + 1 }, (_, at) => [`${at}`, Buffer.alloc(0)]));
  await expect(pack(path, files)).rejects.toThrow(`It would hold more than ${MOST_FILES} files`);
});

test.each([
  ['a manifest', MANIFEST, '{}'],
  ['a timeline', TIMELINE, ' '.repeat(9 * MB)],
  ['an order', ORDER, `[${'0,'.repeat(200_000)}0]`],
])('%s that the check does not read is not written', async (_kind, name, text) => {
  const file = await open(folder.path('unread.zip'), 'w');
  await expect(new ArchiveWriter(file, 'unread.zip').addText(name, text)).rejects.toThrow(
    `The check would not read ${name}`,
  );
  await file.close();
});

/** Detached signatures of something else, with signed attributes and without. */
const signatures: [kind: string, options: string[]][] = [
  ['with signed attributes', []],
  ['without signed attributes', ['-noattr']],
];

test.each(signatures)(
  'a document that many signatures %s name is not read for each of them',
  async (_kind, options) => {
    const signer = makeSigner('p-256');
    const [key, cert] = [folder.write('key.pem', keyPem(signer)), folder.write('cert.pem', toPem(signer.certificate))];
    const other = folder.write('other', 'other');
    const out = ['-outform', 'DER', '-out', folder.path('signature')];
    await run('openssl', ['cms', '-sign', '-binary', ...options, '-signer', cert, '-inkey', key, '-in', other, ...out]);
    const signature = readFileSync(folder.path('signature'));
    const names = Array.from({ length: 300 }, (_, at) => `signatures/${at}`);
    await packed({
      more: [['document', Buffer.alloc(MB * 8)], ...names.map((name): [string, Buffer] => [name, signature])],
      listed: (files) =>
        files.map((file) => ({
          ...file,
          ...(file.path.startsWith('signatures/') && {
            signs: { document: 'document', sentAt: new Date().toISOString() },
          }),
        })),
    });
    const before = process.threadCpuUsage();
    const { json } = await verify(path, undefined);
    const { user, system } = process.threadCpuUsage(before);
    expect((json as { faults: unknown[]; notes: unknown[] }).faults.length).toBeGreaterThan(0);
    expect(user + system).toBeLessThan(1_000_000);
  },
);
