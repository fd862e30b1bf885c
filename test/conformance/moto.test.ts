import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startMoto } from './moto.ts';

/** A folder that is the whole PATH. */
async function onlyPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-path-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

it('says that Python is missing', async () => {
  await onlyPath();
  await expect(startMoto()).rejects.toThrow('python3 is missing. Install');
});

it('says that moto is missing', async () => {
  const python = join(await onlyPath(), 'python3');
  await writeFile(python, `#!/bin/sh\necho "No module named 'moto'" >&2\nexit 1\n`);
  await chmod(python, 0o755);
  await expect(startMoto()).rejects.toThrow('Python has no package moto with its server. Install');
});
