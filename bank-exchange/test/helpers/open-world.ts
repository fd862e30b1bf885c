import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { removeFaults } from '../../../test/helpers/faults.ts';
import { provideExchange } from './provide-exchange.ts';
import { ExchangeWorld, type ExchangeWorldOptions } from './world.ts';

/** Opens one world for all tests of a file. Faults are removed after each test, and the world is closed after the last one. */
export async function openExchangeWorld(options?: ExchangeWorldOptions): Promise<ExchangeWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'loan-orders-legacy-'));
  await provideExchange(directory);
  const world = await ExchangeWorld.start(directory, options);
  afterEach(() => {
    removeFaults(world.simulator);
    expect(world.plainLines.splice(0), 'lines of functions that are no JSON').toEqual([]);
  });
  afterAll(async () => {
    await world.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return world;
}
