import type { DeliveryWrapper } from '@business-loan-orders/embedded-aws';
import type { SimulatorSettings } from '@business-loan-orders/order-simulator';
import { afterAll, afterEach, expect } from 'vitest';
import { removeFaults } from './faults.ts';
import { wrappersOf } from './test-stage.ts';
import { World, type WorldOptions } from './world.ts';

/** Settings of a simulator that asks for no documents and no signatures (specification, section 3). An order costs a test half as much. */
export const OFFERS_AT_ONCE = { outcomes: ['OFFERS_AVAILABLE'] } satisfies Partial<SimulatorSettings>;

export const SIGNATURES_AT_ONCE = {
  outcomes: ['WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'],
} satisfies Partial<SimulatorSettings>;

export const NO_SIGNATURES = {
  outcomes: ['WAITING_FOR_DOCUMENTS', 'OFFERS_AVAILABLE'],
} satisfies Partial<SimulatorSettings>;

export const MAIN_PATH = {
  outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'],
} satisfies Partial<SimulatorSettings>;

/** No bank makes an offer: an order is CLOSED soon after its last accept, which saves a fifth of an order. */
export const NO_OFFERS = { offers: [], closeWithoutConfirmationSeconds: 1 } satisfies Partial<SimulatorSettings>;

/** Times of the service in which some reads bring nothing new, for tests that need such reads. */
export const SLOWER_SERVICE = { processingSeconds: 3, bankSeconds: 5 };

/** The world that the test files of one worker share. This is global because a test file that resets its modules would open another. */
const shared = globalThis as { sharedWorld?: World };

/** Files share one world, which is emptied for each of them, because loading functions is expensive. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { credentials, assemblyDirectory, isNew, environment = {} } = options;
  const isShared = credentials !== false && !assemblyDirectory && !isNew;
  const world = isShared ? await takeShared(options) : await World.start(options);
  const wrappers = wrappersOf(options);
  const { clientSecret: _rotated, ...settings } = world.simulator.settings;
  afterEach(() => {
    removeFaults(world.simulator);
    Object.assign(world.wrappers, wrappers);
    world.aws.useFunctionVariables(isShared ? environment : {});
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

/** Invokes a function, and returns its answer. Throws if it failed. Time passes only while it waits for AWS. */
export async function invoke({ aws }: World, name: string, input: object): Promise<Record<string, unknown>> {
  let done: Record<string, unknown> | null | undefined;
  const url = `${aws.endpoint}/2015-03-31/functions/loan-orders-local-${name}/invocations`;
  const invoked = fetch(url, { method: 'POST', body: JSON.stringify(input) }).then(async (response) => {
    done = JSON.parse((await response.text()) || 'null') as typeof done;
  });
  await aws.runUntil(() => done !== undefined);
  await invoked;
  if (done?.errorMessage !== undefined) throw new Error(`${name} failed: ${done.errorMessage}`);
  return done ?? {};
}

export const runSweep = (world: World) => invoke(world, 'sweep-orders', {});

const MINUTE = 60_000;

/** Lets the sweep through only so often: every minute, as in stage `local`, is most of what happens in hours. */
export function rareSweeps(minutes = 5): DeliveryWrapper {
  let last = Number.NEGATIVE_INFINITY;
  return (event, deliver) => {
    if (event.source === 'aws.scheduler') {
      const due = Date.parse(String(event.time));
      if (due - last < minutes * MINUTE) return;
      last = due;
    }
    deliver();
  };
}
