import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, inject } from 'vitest';
import { provideAssembly } from '../../../laptop/assembly.ts';
import { removeFaults } from '../../../test/helpers/faults.ts';
import { ExchangeWorld, type ExchangeWorldOptions } from './world.ts';

export async function provideExchange(): Promise<string> {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'exchange-'));
  await provideAssembly('local', directory, { context: { legacy: 'alone' } });
  return directory;
}

const shared = globalThis as { sharedExchange?: ExchangeWorld };

/** Loading functions is the expensive part, so files share one world, which is emptied for each of them. */
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
