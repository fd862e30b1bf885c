import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openArchive } from '../../../../commands/evidence/archive.ts';
import { directory, localHeader } from '../../../../commands/evidence/archive-format.ts';
import { faultsOf, filesOf, packSmall } from '../../../helpers/packed-archive.ts';
import { openFolder } from '../../../helpers/signer-files.ts';

const folder = openFolder();
const path = folder.path('archive.zip');

/** Reads an archive by its list and unpacks it, as people do who trust it. */
const UNPACK = `
import hashlib, json, os, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
read = [[i.filename, hashlib.sha256(archive.read(i)).hexdigest()] for i in archive.infolist()]
archive.extractall(sys.argv[2])
found = [os.path.relpath(os.path.join(f, n), sys.argv[2]) for f, _, names in os.walk(sys.argv[2]) for n in names]
print(json.dumps({'read': read, 'unpacked': sorted(found)}))
`;

const LIST = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(json.dumps([[i.filename, i.file_size, i.header_offset] for i in archive.infolist()] + [archive.read('small.txt').decode()]))
`;

const python = (script: string, ...args: string[]) =>
  JSON.parse(execFileSync('python3', ['-c', script, ...args], { encoding: 'utf8' }));

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
    const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    const ours = [...(await filesOf(path))].map(([name, bytes]) => [name, sha256(bytes)]);
    const names = ours.map(([name]) => name).sort();
    expect(python(UNPACK, path, folder.path('unpacked'))).toEqual({ read: ours, unpacked: names });
  });

  test('reads an archive of more than 4 GB as the check reads it', async () => {
    const large = { path: 'large.bin', size: 5 * 1024 ** 3, crc32: 1 };
    const small = { path: 'small.txt', size: 3, crc32: crc32('abc') };
    const file = openSync(path, 'w');
    writeSync(file, localHeader(large));
    let at = localHeader(large).length + large.size;
    const second = at;
    for (const bytes of [localHeader(small), Buffer.from('abc'), directory([large, small])])
      at += writeSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
    expect(python(LIST, path)).toEqual([['large.bin', large.size, 0], ['small.txt', 3, second], 'abc']);
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
