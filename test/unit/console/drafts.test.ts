import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { Drafts } from '../../../console/server/drafts.ts';
import { OwnFolder } from '../../../console/server/own-folder.ts';
import { openFolder } from '../../helpers/signer-files.ts';

const own = new OwnFolder(openFolder().path('.'));
afterAll(() => own.remove());
const drafts = new Drafts(own, 100);
const text = (content: string) => Readable.from([Buffer.from(content)]);

async function* breakingOff(content: string, error: Error): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
  throw error;
}

describe('a file of a dropped package', () => {
  const failed = (code: string, syscall?: string) => Object.assign(new Error(`${code} /tmp/x`), { code, syscall });
  test.each([
    ['breaks off', failed('ECONNRESET'), 'ECONNRESET'],
    ['fills the disk', failed('ENOSPC', 'write'), "The disk of the console's machine is full (ENOSPC): a/b.pdf was"],
    ['cannot be written', failed('EIO', 'write'), "a/b.pdf cannot be kept on the console's machine (EIO). Nothing"],
  ])('that %s leaves the one before as it was', async (_how, error, sentence) => {
    const id = await drafts.begin();
    await drafts.write(id, 'a/b.pdf', text('the whole file'));
    const broken = drafts.write(id, 'a/b.pdf', Readable.from(breakingOff('the wh', error)));
    await expect(broken).rejects.toThrow(sentence);
    expect(await drafts.files(id)).toEqual([{ path: 'a/b.pdf', size: 14 }]);
    await expect.poll(() => readdirSync(`${drafts.folder(id)}/../incoming`)).toEqual([]);
  });

  test('that is longer than it said is not kept', async () => {
    const id = await drafts.begin();
    const long = drafts.write(id, 'a', Readable.from([Buffer.alloc(60), Buffer.alloc(41)]));
    await expect(long).rejects.toThrow('a is larger than any package of this stage may be: it was not kept.');
    expect(await drafts.files(id)).toEqual([]);
  });

  test.each([
    ['is a folder', 'documents', 'documents cannot be a file of this package ('],
    ['is inside of a file', 'notes.txt/x', 'notes.txt/x cannot be a file of this package ('],
    ['has a name of 299 letters', 'я'.repeat(299), 'я cannot be a file of this package (ENAMETOOLONG).'],
    ['has a NUL in its name', 'a\0b', 'cannot be a file of a package.'],
  ])('that %s is refused in a sentence that names no folder of the machine', async (_how, path, sentence) => {
    const id = await drafts.begin();
    await drafts.write(id, 'documents/charter.pdf', text('x'));
    await drafts.write(id, 'notes.txt', text('x'));
    const refused = drafts.write(id, path, text('x'));
    await expect(refused).rejects.toThrow(sentence);
    await expect(refused).rejects.not.toThrow('loan-orders-console');
  });
});

test('a package that is being submitted is neither changed nor removed for others', async () => {
  const id = await drafts.begin();
  const letGo = drafts.hold(id);
  const busy = 'This package is being submitted: nothing was changed. Wait for its answer.';
  expect(() => drafts.hold(id)).toThrow(busy);
  await expect(drafts.write(id, 'a', text('x'))).rejects.toThrow(busy);
  for (let count = 0; count < 5; count += 1) await drafts.begin();
  letGo();
  await drafts.write(id, 'a', text('x'));
  expect(await drafts.files(id)).toEqual([{ path: 'a', size: 1 }]);
});
