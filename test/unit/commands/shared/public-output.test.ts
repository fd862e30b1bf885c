import { spawnSync } from 'node:child_process';
import { chmodSync, openSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openFolder } from '../../../helpers/signer-files.ts';

const folder = openFolder();
const SHOW = "import('./commands/shared/public-output.ts').then((own) => console.log(own.isOutputPublic()))";

test.each([
  [0o644, 'true'],
  [0o640, 'true'],
  [0o600, 'false'],
])('an output file of mode %o is read by others: %s', (mode, expected) => {
  const path = folder.path(`output-${mode}`);
  const file = openSync(path, 'w');
  chmodSync(path, mode);
  spawnSync(process.execPath, ['-e', SHOW], { stdio: ['ignore', file, 'inherit'] });
  expect(readFileSync(path, 'utf8').trim()).toBe(expected);
});

test('a console whose address others could read is not served', () => {
  const path = folder.path('console.log');
  const file = openSync(path, 'w');
  chmodSync(path, 0o644);
  const { status, stderr } = spawnSync(process.execPath, ['bin/loan-orders.ts', 'console'], {
    stdio: ['ignore', file, 'pipe'],
    encoding: 'utf8',
  });
  expect({ status, stderr, stdout: readFileSync(path, 'utf8') }).toEqual({
    status: 1,
    stderr: expect.stringContaining('nothing was started'),
    stdout: '',
  });
});
