import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { faultsOf, filesOf, packSmall } from '../../../helpers/packed-archive.ts';
import { openFolder } from '../../../helpers/signer-files.ts';

const folder = openFolder();
const path = await packSmall(folder.path('archive.zip'), {
  more: [
    ['to-sign/round-1/Заявление ё.pdf', Buffer.from('bytes')],
    ['package/documents/empty.pdf', Buffer.alloc(0)],
  ],
});
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Reads an archive by its list and unpacks it, as people do who trust it. */
const UNPACK = `
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

test.skipIf(!hasPython())(
  "Python's zipfile reads and unpacks the same names and contents from an archive",
  async () => {
    expect(await faultsOf(path)).toEqual([]);
    const ours = [...(await filesOf(path))].map(([name, bytes]) => [name, sha256(bytes)]);
    const unpacked = execFileSync('python3', ['-c', UNPACK, path, folder.path('unpacked')], { encoding: 'utf8' });
    expect(JSON.parse(unpacked)).toEqual({ read: ours, unpacked: ours.map(([name]) => name).sort() });
  },
);
