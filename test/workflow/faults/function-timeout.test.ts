import { expect, test } from 'vitest';
import { withFunctions } from '../../helpers/assemblies.ts';
import { creating } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const intentReached = Promise.withResolvers<void>();
const released = Promise.withResolvers<void>();

const world = await openWorld({
  assemblyDirectory: withFunctions((name, properties) => {
    if (name === 'create-order') properties.Timeout = 1;
  }),
  requestWrapper: async ({ operation, body }) => {
    if (operation !== 'PutItem' || !body.includes('"item":{"S":"operation#create')) return undefined;
    intentReached.resolve();
    await released.promise;
    return undefined;
  },
});

test('a function that times out fails with Sandbox.Timedout and does not call the order service afterwards', async () => {
  await submit(world, 'slow');
  await intentReached.promise;
  await expect
    .poll(async () => (await world.record('slow'))?.failure, { timeout: 20_000 })
    .toMatchObject({ error: 'Sandbox.Timedout' });
  released.resolve();
  await world.aws.settle();
  expect(world.simulator.calls().filter(creating)).toEqual([]);
});
