import { beforeEach, expect, test } from 'vitest';
import { MAIN_PATH } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { World } from '../../helpers/world.ts';

/** While a test sets this, the functions of the state machine stand still and then die. */
let stillness: Promise<void> | undefined;
const world = await openWorld({
  invokeWrapper: async (_name, event, invoke) => {
    if (!stillness || !('generation' in (event as object))) return invoke();
    await world.aws.standStill(stillness);
    return { payload: '{"errorType":"Runtime.ExitError"}', functionError: 'Unhandled' };
  },
});
const { settings } = world.simulator;

beforeEach(() => {
  Object.assign(settings, { ...MAIN_PATH, bankSeconds: 1 });
});

test('the failure of a step that did not end in time has a reason, although Step Functions gives it no cause', async () => {
  const released = Promise.withResolvers<void>();
  stillness = released.promise;
  await submit(world, 'stuck');
  const order = await world.untilEnd('stuck');
  released.resolve();
  stillness = undefined;
  const cause = 'The execution ended as FAILED with States.Timeout. Nothing is lost: a retry continues the order.';
  expect(order).toMatchObject({ waitingFor: 'operator', failure: { error: 'States.Timeout', cause } });
});

test('refused credentials fail the order with Unauthorized, and the cause names the credentials secret', async () => {
  const { clientId, clientSecret } = settings;
  await world.putCredentials({ client_id: clientId, client_secret: 'wrong' });
  world.simulator.revokeAllTokens();
  try {
    await submit(world, 'refused');
    const order = await world.untilEnd('refused');
    expect(order.failure).toMatchObject({
      error: 'Unauthorized',
      cause: expect.stringContaining('credentials secret'),
    });
    expect(order.failure?.cause).not.toContain('wrong');
  } finally {
    await world.putCredentials({ client_id: clientId, client_secret: clientSecret });
  }
});

test('a credentials secret without a value fails the order with Unauthorized, and the cause says what to put there', async () => {
  const empty = await World.start({ credentials: false });
  try {
    await submit(empty, 'no-secret');
    const order = await empty.untilEnd('no-secret');
    expect(order.failure).toMatchObject({
      error: 'Unauthorized',
      cause: expect.stringContaining('client_id and client_secret'),
    });
  } finally {
    await empty.close();
  }
});
