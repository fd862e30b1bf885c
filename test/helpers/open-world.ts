import { afterAll, afterEach, expect } from 'vitest';
import { removeFaults } from './faults.ts';
import { World } from './world.ts';
import type { WorldOptions } from './world-options.ts';

type Wrappers = Pick<WorldOptions, 'invokeWrapper' | 'requestWrapper' | 'deliveryWrapper' | 'entryRefusal'>;

/** The world that the test files of one worker share one after another, with the wrappers of the current file. */
interface SharedWorld {
  world: World;
  wrappers: Wrappers;
}

/** This is global because a test file that resets its modules would otherwise open another world. */
const shared = globalThis as { sharedWorld?: SharedWorld };

/**
 * Opens one world for all tests of a file. Faults are removed after each test. Loading functions is the expensive part of a world, so
 * files share one world, which is emptied for each of them. Only the functions whose environment a file changes are loaded for it.
 */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { statements, credentials, assemblyDirectory, isNew } = options;
  const isOrdinary = !statements && credentials !== false && !assemblyDirectory && !isNew;
  const world = isOrdinary ? await takeShared(options) : await World.start(options);
  afterEach(() => {
    removeFaults(world.simulator);
    if (!options.ordersGoOn) world.aws.discardExecutions();
    expect(world.plainLines.take(), 'lines of functions that are no JSON').toEqual([]);
  });
  afterAll(() => (isOrdinary ? leaveShared() : world.close()));
  return world;
}

async function takeShared({ settings, environment = {}, ...options }: WorldOptions): Promise<World> {
  const wrappers: Wrappers = options;
  if (shared.sharedWorld) {
    const { world } = shared.sharedWorld;
    await world.forget({ ...(settings && { settings }) });
    shared.sharedWorld.wrappers = wrappers;
    world.aws.useFunctionVariables(environment);
    return world;
  }
  const current = () => shared.sharedWorld?.wrappers ?? wrappers;
  const world = await World.start({
    ...(settings && { settings }),
    invokeWrapper: (name, event, invoke) => current().invokeWrapper?.(name, event, invoke) ?? invoke(),
    entryRefusal: (entry) => current().entryRefusal?.(entry),
    requestWrapper: async (request, serve) => current().requestWrapper?.(request, serve),
    deliveryWrapper: (event, deliver) => {
      const { deliveryWrapper } = current();
      if (deliveryWrapper) deliveryWrapper(event, deliver);
      else deliver();
    },
  });
  world.aws.useFunctionVariables(environment);
  shared.sharedWorld = { world, wrappers };
  return world;
}

/** Removes the wrappers and the environment, which must not affect the next file. */
function leaveShared(): void {
  shared.sharedWorld?.world.aws.useFunctionVariables({});
  if (shared.sharedWorld) shared.sharedWorld.wrappers = {};
}
