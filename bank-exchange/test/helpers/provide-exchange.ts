import { existsSync, mkdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { provideAssembly } from '../../../laptop/assembly.ts';

/**
 * Writes the assembly of the bank exchange to `directory`. Workers that begin at the same moment would each synthesize it: one does,
 * and the others wait, and find it in the cache.
 */
export async function provideExchange(directory: string): Promise<void> {
  const begun = join(inject('temporaryDirectory'), 'exchange-begun');
  const over = join(inject('temporaryDirectory'), 'exchange-over');
  const isFirst = mkdirSync(begun, { recursive: true }) !== undefined;
  if (!isFirst) await appears(over);
  await provideAssembly('local', directory, { context: { legacy: 'alone' } }).finally(() =>
    mkdirSync(over, { recursive: true }),
  );
}

/** Waits until the folder exists. */
function appears(path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(dirname(path), () => existsSync(path) && resolve());
  if (existsSync(path)) resolve();
  return promise.finally(() => watcher.close());
}
