import { spawnSync } from 'node:child_process';
import { chmodSync, openSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openFolder } from '../../../helpers/signer-files.ts';

const folder = openFolder();
const SHOW = "import('./commands/shared/public-output.ts').then((own) => console.log(own.isOutputPublic()))";

function outputOf(mode: number, ...run: string[]) {
  const path = folder.path(`output-${mode}-${run.length}`);
  const file = openSync(path, 'w');
  chmodSync(path, mode);
  const { status, stderr } = spawnSync(process.execPath, run, { stdio: ['ignore', file, 'pipe'], encoding: 'utf8' });
  return { status, stderr, stdout: readFileSync(path, 'utf8') };
}

test('an output file is public if others may read it', () => {
  const said = [0o644, 0o640, 0o600].map((mode) => outputOf(mode, '-e', SHOW).stdout);
  expect(said).toEqual(['true\n', 'true\n', 'false\n']);
});

test('a console whose address others could read is not served', () => {
  const stderr = expect.stringContaining('nothing was started');
  expect(outputOf(0o644, 'bin/loan-orders.js', 'console')).toEqual({ status: 1, stderr, stdout: '' });
});
