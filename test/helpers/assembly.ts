import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { provideAssembly } from '../../local/assembly.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The synthesized stack of stage local, the same for every test. */
    assemblyDirectory: string;
    /** A folder for what tests write; it goes when the last of them has ended. */
    temporaryDirectory: string;
  }
}

/** Synthesizes the stack once for all tests, with the command that a deployment uses. */
export default async function setup(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'loan-orders-test-'));
  // Worlds that files share are not closed; what they leave goes with the folder.
  process.env.TMPDIR = directory;
  // Of every sandbox of the tests, which load the same functions again and again.
  process.env.LOCAL_AWS_COMPILE_CACHE = join(directory, 'compile-cache');
  const assembly = join(directory, 'assembly');
  await provideAssembly('local', assembly);
  project.provide('assemblyDirectory', assembly);
  project.provide('temporaryDirectory', directory);
  return () => rmSync(directory, { recursive: true, force: true });
}
