import { existsSync, mkdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, inject } from 'vitest';
import { provideAssembly } from '../../../laptop/assembly.ts';
import { removeFaults } from '../../../test/helpers/faults.ts';
import { ExchangeWorld, type ExchangeWorldOptions } from './world.ts';

/**
 * The folder with the assembly of the bank exchange. Workers that begin at the same moment would each synthesize it: one does, and the
 * others wait.
 */
export async function provideExchange(): Promise<string> {
  const directory = join(inject('temporaryDirectory'), 'exchange');
  const over = `${directory}-over`;
  const isFirst = mkdirSync(directory, { recursive: true }) !== undefined;
  if (!isFirst) await appears(over);
  else await provideAssembly('local', directory, { context: { legacy: 'alone' } }).finally(() => mkdirSync(over));
  return directory;
}

/** Waits until the folder exists. */
function appears(path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(dirname(path), () => existsSync(path) && resolve());
  if (existsSync(path)) resolve();
  return promise.finally(() => watcher.close());
}

/** The world that the test files of one worker share. */
const shared = globalThis as { sharedExchange?: ExchangeWorld };

/**
 * Opens one world for all tests of a file. Faults are removed after each test. Loading functions is the expensive part, so files share
 * one world, which is emptied for each of them.
 */
export async function openExchangeWorld(options: ExchangeWorldOptions = {}): Promise<ExchangeWorld> {
  shared.sharedExchange ??= await ExchangeWorld.start(await provideExchange());
  const world = shared.sharedExchange;
  await world.prepare(options);
  afterEach(() => {
    removeFaults(world.simulator);
    expect(world.plainLines.splice(0), 'lines of functions that are no JSON').toEqual([]);
  });
  return world;
}
