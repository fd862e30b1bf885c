import { afterAll, afterEach } from 'vitest';
import { removeFaults } from './faults.ts';
import { World } from './world.ts';
import type { WorldOptions } from './world-options.ts';

/** One world for all tests of a file: its faults go after each test, and it after the last. */
export async function openWorld(options?: WorldOptions): Promise<World> {
  const world = await World.start(options);
  afterEach(() => removeFaults(world.simulator));
  afterAll(() => world.close());
  return world;
}
