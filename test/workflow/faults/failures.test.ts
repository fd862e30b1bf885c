import { expect, test } from 'vitest';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { World } from '../../helpers/world.ts';

const world = await openWorld();
const { settings } = world.simulator;

test('the failure of a step that did not end in time has a reason, although Step Functions gives it no cause', async () => {
  const released = Promise.withResolvers<void>();
  world.wrappers.invokeWrapper = async (_name, event, invoke) => {
    if (!('generation' in (event as object))) return invoke();
    await world.aws.standStill(released.promise);
    return { payload: '{"errorType":"Runtime.ExitError"}', functionError: 'Unhandled' };
  };
  await submit(world, 'stuck');
  const order = await world.untilEnd('stuck');
  released.resolve();
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
