import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { OwnFolder } from '../../../console/server/own-folder.ts';
import { openFolder } from '../../helpers/signer-files.ts';

const parent = openFolder().path('.');
/** No process has this number. */
const gone = 2 ** 30;

async function leftBy(pid: number): Promise<string> {
  const path = dirname(await new OwnFolder(parent).make('package-x'));
  const named = join(parent, basename(path).replace(`-${process.pid}-`, `-${pid}-`));
  mkdirSync(join(named, 'package-x'), { recursive: true });
  writeFileSync(join(named, 'package-x', 'order.json'), '{}');
  return named;
}

test('only its user can read the folder of a console, and nothing remains of it', async () => {
  const own = new OwnFolder(parent);
  const path = dirname(await own.make('evidence-x'));
  for (const folder of [path, join(path, 'evidence-x')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  await own.remove();
  expect(existsSync(path)).toBe(false);
});

test('a console removes what a killed one left, and nothing else', async () => {
  const left = await leftBy(gone);
  const running = await leftBy(process.ppid);
  const name = basename(left);
  const others = [
    name.replace('loan-orders-console-', 'other-program-'),
    name.replace(/-[^-]+$/, ''),
    `${name}x`,
    name.replace(/(console)-\d+-/, '$1-4294967294-'),
    name.replace(/(console-\d+)-\d+-/, '$1-1-'),
    `${name.slice(0, -6)}/../own`,
  ].map((other) => join(parent, other));
  for (const other of others) mkdirSync(other, { recursive: true });
  const target = join(parent, 'target');
  mkdirSync(target);
  writeFileSync(join(target, 'kept'), '');
  const link = join(parent, `${name.slice(0, -6)}linked`);
  symlinkSync(target, link);
  await new OwnFolder(parent).removeLeft();
  expect(existsSync(left)).toBe(false);
  for (const path of [running, ...others, link, join(target, 'kept')]) expect(existsSync(path), path).toBe(true);
  rmSync(link);
  expect(readdirSync(target)).toEqual(['kept']);
});
