import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, inject } from 'vitest';
import { provideAssembly } from '../../../laptop/assembly.ts';
import { removeFaults } from '../../../test/helpers/faults.ts';
import { ExchangeWorld, type ExchangeWorldOptions } from './world.ts';

/** Makes a folder with the assembly of the bank exchange. */
export async function provideExchange(): Promise<string> {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'exchange-'));
  await provideAssembly('local', directory, { context: { legacy: 'alone' } });
  return directory;
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
