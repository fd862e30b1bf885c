import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { provideAssembly } from '../../laptop/assembly.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The synthesized stack of stage `local`, which all tests share. */
    assemblyDirectory: string;
    /** A folder for files that tests write. It is removed after the last test. */
    temporaryDirectory: string;
  }
}

/** Synthesizes the stack once for all tests, with the command that a deployment uses. */
export default async function setup(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'loan-orders-test-'));
  // Worlds that test files share are never closed. Their files are removed with this folder.
  process.env.TMPDIR = directory;
  // All sandboxes of the tests share this compile cache, because they load the same functions.
  process.env.LOCAL_AWS_COMPILE_CACHE = join(directory, 'compile-cache');
  const assembly = join(directory, 'assembly');
  // As the laptop does, which then finds it in the cache.
  await provideAssembly('local', assembly);
  project.provide('assemblyDirectory', assembly);
  project.provide('temporaryDirectory', directory);
  return () => rmSync(directory, { recursive: true, force: true });
}
