import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const script = 'scripts/check-installed.js';

function check(root: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('check-installed says in one sentence what to type if the packages are not installed', () => {
  const clone = mkdtempSync(join(tmpdir(), 'clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true }));
  mkdirSync(join(clone, 'scripts'));
  for (const file of ['package.json', script]) cpSync(join(project, file), join(clone, file));
  const stderr = 'The packages of this project are not installed yet. Run npm ci first.\n';
  expect(check(clone)).toEqual({ status: 1, stdout: '', stderr });
});

test('check-installed prints nothing if the packages are installed', () => {
  expect(check(project)).toEqual({ status: 0, stdout: '', stderr: '' });
});
