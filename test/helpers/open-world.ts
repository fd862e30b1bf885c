import type { SimulatorSettings } from '@business-loan-orders/order-simulator';
import { afterAll, afterEach, expect } from 'vitest';
import { removeFaults } from './faults.ts';
import { wrappersOf } from './test-stage.ts';
import { World, type WorldOptions } from './world.ts';

/** The world that the test files of one worker share. This is global because a test file that resets its modules would open another. */
const shared = globalThis as { sharedWorld?: World };

/**
 * Opens one world for all tests of a file. Faults, wrappers and settings of a test are removed after it. Loading functions is the expensive part
 * of a world, so files share one world, which is emptied for each of them. Only the functions whose environment a file changes are
 * loaded for it.
 */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { functionStatements, credentials, assemblyDirectory, isNew } = options;
  const isShared = !functionStatements && credentials !== false && !assemblyDirectory && !isNew;
  const world = isShared ? await takeShared(options) : await World.start(options);
  const wrappers = wrappersOf(options);
  const { clientSecret: _rotated, ...settings } = world.simulator.settings;
  afterEach(() => {
    removeFaults(world.simulator);
    Object.assign(world.wrappers, wrappers);
    if (!options.ordersGoOn) {
      world.aws.discardExecutions();
      resetSettings(world, settings);
    }
    expect(world.plainLines.splice(0), 'lines of functions that are no JSON').toEqual([]);
  });
  afterAll(async () => {
    if (!isShared) return world.close();
    // They must not affect the next file.
    Object.assign(world.wrappers, wrappersOf({}));
    world.aws.useFunctionVariables({});
  });
  return world;
}

function resetSettings({ simulator }: World, settings: Partial<SimulatorSettings>): void {
  const { clientSecret } = simulator.settings;
  for (const name of Object.keys(simulator.settings)) delete simulator.settings[name as 'documentTemplates'];
  Object.assign(simulator.settings, settings, { clientSecret });
}

async function takeShared({ settings = {}, environment = {}, ...options }: WorldOptions): Promise<World> {
  if (shared.sharedWorld) await shared.sharedWorld.forget(settings);
  else shared.sharedWorld = await World.start({ settings });
  const world = shared.sharedWorld;
  Object.assign(world.wrappers, wrappersOf(options));
  world.aws.useFunctionVariables(environment);
  return world;
}
