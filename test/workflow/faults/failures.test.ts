import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { AwsRequest, RequestFault } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import { creating, KILLED } from '../../helpers/faults.ts';
import { invoke, OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE });

test('refused order data fails the order with Rejected, and the answer of the service is in staging only', async () => {
  const order = await world.submitToEnd('refused', { scenario: `no such scenario${'x'.repeat(10_000)}` });
  expect(order).toMatchObject({ status: 'RECEIVED', waitingFor: 'operator', failure: { error: 'Rejected' } });
  expect(order.failure?.cause).toMatch(/^Create order: the order service answered 400\./);
  expect(order.failure?.cause).not.toContain('trace');
  const [error] = (await world.stagedKeys('refused')).filter((key) => key.startsWith('errors/'));
  expect(await world.staged('refused', error ?? '')).toMatch(/no such scenariox{3900}/);
  const events = await world.histories('refused');
  expect(events.at(-1)).toMatchObject({
    type: 'ExecutionFailed',
    executionFailedEventDetails: { error: 'Rejected', cause: expect.stringContaining('answered 400') },
  });
  expect(JSON.stringify(events)).not.toContain('no such scenario');
});

test('the failure of a step that did not end in time has a reason, although Step Functions gives it no cause', async () => {
  const released = Promise.withResolvers<void>();
  world.wrappers.invokeWrapper = async (_name, event, invoke) => {
    if (!('generation' in (event as object))) return invoke();
    await world.aws.pauseUntil(released.promise);
    return KILLED;
  };
  const order = await world.submitToEnd('stuck');
  released.resolve();
  const cause = 'The execution ended as FAILED with States.Timeout. Nothing is lost: a retry continues the order.';
  expect(order).toMatchObject({ waitingFor: 'operator', failure: { error: 'States.Timeout', cause } });
});

test('refused and missing credentials fail the order with Unauthorized, and the cause says what to put into the secret', async () => {
  const { clientId, clientSecret } = world.simulator.settings;
  world.simulator.revokeAllTokens();
  // As AWS answers if the secret has no value.
  world.wrappers.requestWrapper = async ({ operation }) =>
    operation === 'GetSecretValue' ? { status: 400, code: 'ResourceNotFoundException' } : undefined;
  const missing = await world.submitToEnd('unauthorized');
  const cause = expect.stringContaining('client_id and client_secret');
  expect(missing.failure).toMatchObject({ error: 'Unauthorized', cause });
  world.wrappers.requestWrapper = undefined;
  await world.putCredentials({ client_id: clientId, client_secret: 'wrong' });
  await world.startNext('unauthorized');
  const { failure } = await world.untilEnd('unauthorized');
  expect(failure).toMatchObject({ error: 'Unauthorized', cause: expect.stringContaining('credentials secret') });
  expect(failure?.cause).not.toContain('wrong');
  await world.putCredentials({ client_id: clientId, client_secret: clientSecret });
  await world.startNext('unauthorized');
  expect(await world.untilEnd('unauthorized')).toMatchObject({ status: 'CLOSED', generation: 3 });
});

/** An SDK client makes up to four attempts (DynamoDB), so this fails one run of a function and the first attempt of the next. */
const FAULTS = 5;

const sharedToken =
  (operation: string, part = '') =>
  (request: AwsRequest) =>
    request.operation === operation && ['"orderRef":{"S":"#token"}', part].every((one) => request.body.includes(one));

const throttled = { status: 400, code: 'ProvisionedThroughputExceededException' };
test.each<[string, (request: AwsRequest) => boolean, RequestFault, boolean, number]>([
  ['the shared token cannot be read', sharedToken('GetItem'), throttled, false, FAULTS],
  ['the answer to taking the token lock is lost', sharedToken('UpdateItem'), 'reset', true, 1],
  ['the answer to writing the new token is lost', sharedToken('UpdateItem', '":sealed"'), 'reset', true, FAULTS],
])(
  'when %s, a function gets a token without an operator, and the order is created once and closes',
  async (name, matches, fault, after, times) => {
    const orderRef = name.replaceAll(' ', '-');
    let left = times;
    world.wrappers.requestWrapper = async (request, serve) => {
      if (left === 0 || !matches(request)) return undefined;
      left -= 1;
      if (after) await serve();
      return fault;
    };
    const sequence = world.simulator.calls().length;
    // Every function must now request a new token. The one of the test before is no longer new.
    world.clock.advanceTo(world.clock.now() + 60_001);
    world.simulator.revokeAllTokens();
    expect(await world.submitToEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
    expect(left).toBeLessThan(times);
    const calls = world.simulator.calls().filter((call) => call.sequence > sequence);
    // A creation with an old token was refused and does not count.
    expect(calls.filter((call) => creating(call) && call.status === 201)).toHaveLength(1);
  },
);

const PERSON = 'Иванов-7707083893';

test('neither the log nor the timeline shows what a person gave an execution as its order or its name', async () => {
  await world.submitUntil('named', ({ waitingFor }) => waitingFor === 'decision', { offers: { choose: 'manual' } });
  await world.abort('named');
  await world.aws.settle();
  for (const name of ['create-order', 'read-order', 'await-signatures'])
    for (const input of [{ orderRef: PERSON }, { orderRef: 'named', generation: PERSON }])
      await expect(invoke(world, name, input)).rejects.toThrow('names no order');
  const stateMachine = {
    stateMachineArn: world.outputs.OrderStateMachine,
    input: '{"orderRef":"named","generation":1}',
  };
  const start = (name: string) => world.stepFunctions.send(new StartExecutionCommand({ ...stateMachine, name }));
  await start(PERSON);
  await world.until('named', ({ generation, waitingFor }) => generation === 2 && waitingFor === 'decision');
  await start('again');
  await world.aws.settle();
  const timeline = (await world.items('named')).filter(({ item }) => String(item).startsWith('event#'));
  const shown = JSON.stringify([timeline, world.aws.logs()]);
  expect(shown).toContain('is driven by execution (not shown), its number 2');
  expect(shown).not.toContain('7707083893');
});
