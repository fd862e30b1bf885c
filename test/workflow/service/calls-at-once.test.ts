import { expect, test } from 'vitest';
import { runsAtOnce } from '../../../infra/order/calls-at-once.ts';
import { withFunctions } from '../../helpers/assemblies.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const CALLS_AT_ONCE = 7;
const ORDERS = 4;

let [now, most] = [0, 0];

const world = await openWorld({
  assemblyDirectory: withFunctions((name, properties) => {
    properties.ReservedConcurrentExecutions = runsAtOnce(CALLS_AT_ONCE, name);
  }),
  settings: { pollAfterSeconds: 2, documentsToSign: 2 },
});
world.simulator.hooks.before = async () => {
  now += 1;
  most = Math.max(most, now);
  // The calls of other functions come meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 20));
};
world.simulator.hooks.after = async () => {
  now -= 1;
};

test('orders that want more calls at once are throttled and retried, and all of them close', async () => {
  const orderRefs = Array.from({ length: ORDERS }, (_, position) => `at-once-${position + 1}`);
  await Promise.all(orderRefs.map((orderRef) => submit(world, orderRef, { documents: ['a.pdf', 'b.pdf'] })));
  let throttled = 0;
  for (const orderRef of orderRefs) {
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
    throttled += (await world.histories(orderRef)).filter(
      ({ taskFailedEventDetails }) => taskFailedEventDetails?.error === 'Lambda.TooManyRequestsException',
    ).length;
  }
  // More calls were wanted than there were.
  expect(throttled).toBeGreaterThan(0);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(CALLS_AT_ONCE);
});
