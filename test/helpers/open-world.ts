import { afterAll, afterEach } from 'vitest';
import { removeFaults } from './faults.ts';
import { World } from './world.ts';
import type { WorldOptions } from './world-options.ts';

type Wrappers = Pick<WorldOptions, 'invokeWrapper' | 'requestWrapper' | 'deliveryWrapper'>;

/** The world that files of one worker share, one after the other, with the wrappers of the file whose turn it is. */
interface SharedWorld {
  world: World;
  wrappers: Wrappers;
}

/** Not a variable of this module: a file that resets its modules would open another world. */
const shared = globalThis as { sharedWorld?: SharedWorld };

/**
 * One world for all tests of a file: its faults go after each test. Functions that are loaded and warm are the dearest part of a world, so
 * that files which don't change their functions' environment get the same one, emptied.
 */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { environment, statements, credentials, assemblyDirectory, isNew } = options;
  const isOrdinary = !environment && !statements && credentials !== false && !assemblyDirectory && !isNew;
  const world = isOrdinary ? await takeShared(options) : await World.start(options);
  afterEach(() => removeFaults(world.simulator));
  afterAll(() => (isOrdinary ? leaveShared() : world.close()));
  return world;
}

async function takeShared({ settings, ...options }: WorldOptions): Promise<World> {
  const wrappers: Wrappers = options;
  if (shared.sharedWorld) {
    const { world } = shared.sharedWorld;
    await world.forget({ ...(settings && { settings }) });
    shared.sharedWorld.wrappers = wrappers;
    return world;
  }
  const current = () => shared.sharedWorld?.wrappers ?? wrappers;
  const world = await World.start({
    ...(settings && { settings }),
    invokeWrapper: (name, event, invoke) => current().invokeWrapper?.(name, event, invoke) ?? invoke(),
    requestWrapper: async (request, serve) => current().requestWrapper?.(request, serve),
    deliveryWrapper: (event, deliver) => {
      const { deliveryWrapper } = current();
      if (deliveryWrapper) deliveryWrapper(event, deliver);
      else deliver();
    },
  });
  shared.sharedWorld = { world, wrappers };
  return world;
}

/** The next file begins with an empty world; this one's wrappers must not meet what is left of it. */
function leaveShared(): void {
  if (shared.sharedWorld) shared.sharedWorld.wrappers = {};
}
