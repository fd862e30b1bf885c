import { beforeEach, expect, test } from 'vitest';
import {
  accepting,
  answer,
  confirming,
  creating,
  inject,
  loseAnswer,
  loseRequest,
  type Matches,
  reading,
  uploading,
} from '../../helpers/faults.ts';
import { MAIN_PATH, NO_SIGNATURES, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
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

/** An order of the main path makes two accepts. The bank is slow for a confirm, so its outcome is known before the next one can be sent. */
const accepts = MAIN_PATH;
const confirms = { ...OFFERS_AT_ONCE, bankSeconds: 30 };

const callsOf = async (orderRef: string, matches: Matches) => (await world.calls(orderRef)).filter(matches);
const ordersOf = () => world.simulator.orders().length;

test('a temporary 503 on a read and a temporary 429 on an upload are retried', async () => {
  Object.assign(settings, OFFERS_AT_ONCE);
  inject(world.simulator, 'before', reading, answer(503), 3);
  await submit(world, 'busy-read');
  expect(await world.untilEnd('busy-read')).toMatchObject({ status: 'CLOSED' });
  Object.assign(settings, NO_SIGNATURES);
  inject(world.simulator, 'before', uploading, answer(429, undefined, { 'retry-after': '1' }), 3);
  await submit(world, 'busy-upload');
  expect(await world.untilEnd('busy-upload')).toMatchObject({ status: 'CLOSED' });
  expect((await callsOf('busy-upload', uploading)).map(({ status }) => status)).toEqual([429, 429, 429, 201]);
});

test('a creation whose answer was lost is never repeated and fails with OutcomeUnknown for an operator', async () => {
  const before = ordersOf();
  inject(world.simulator, 'after', creating, loseAnswer);
  await submit(world, 'lost-creation');
  const order = await world.untilEnd('lost-creation');
  expect(order).toMatchObject({ status: 'RECEIVED', waitingFor: 'operator', failure: { error: 'OutcomeUnknown' } });
  expect(ordersOf()).toBe(before + 1);
  expect(await world.knowledge('lost-creation', 'create')).toMatchObject({ state: 'open' });
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

test('a creation that was answered 503 is repeated, because 503 proves that nothing was done', async () => {
  const before = ordersOf();
  Object.assign(settings, OFFERS_AT_ONCE);
  inject(world.simulator, 'before', creating, answer(503));
  await submit(world, 'busy-creation');
  expect(await world.untilEnd('busy-creation')).toMatchObject({ status: 'CLOSED' });
  expect(ordersOf()).toBe(before + 1);
});

test.each([
  ['accept', accepting, accepts],
  ['confirm', confirming, confirms],
])(
  'a lost answer to %s is settled by reading the order, and the call is not sent again',
  async (name, matches, way) => {
    inject(world.simulator, 'after', matches, loseAnswer);
    Object.assign(settings, way);
    await submit(world, `lost-${name}`);
    expect(await world.untilEnd(`lost-${name}`)).toMatchObject({ status: 'CLOSED' });
    expect((await callsOf(`lost-${name}`, matches)).map(({ status }) => status)).toEqual([202, 202]);
  },
);

test.each([
  ['accept', accepting, accepts],
  ['confirm', confirming, confirms],
])('a call to %s that never reached the service is sent again', async (name, matches, way) => {
  inject(world.simulator, 'before', matches, loseRequest);
  Object.assign(settings, way);
  await submit(world, `unsent-${name}`);
  expect(await world.untilEnd(`unsent-${name}`)).toMatchObject({ status: 'CLOSED' });
  expect(await callsOf(`unsent-${name}`, matches)).toHaveLength(3);
});

test('an upload whose answer was lost is sent again, and the repeat is counted', async () => {
  Object.assign(settings, NO_SIGNATURES);
  inject(world.simulator, 'after', uploading, loseAnswer);
  await submit(world, 'lost-upload');
  expect(await world.untilEnd('lost-upload')).toMatchObject({ status: 'CLOSED' });
  expect(await callsOf('lost-upload', uploading)).toHaveLength(2);
  const operation = (await world.items('lost-upload')).find(({ item }) => item.startsWith('operation#upload-document'));
  expect(operation).toMatchObject({ state: 'done', attempts: 2 });
  const told = (await world.items('lost-upload')).filter(({ what }) => what === 'Sent again');
  expect(told).toMatchObject([{ operation: 'upload-document', attempts: 2 }]);
  expect(
    world.aws.logs().filter(({ line }) => line.includes('"Sent again: the outcome of the last attempt')),
  ).toHaveLength(1);
});

test('an execution whose service stays down ends in Fail with Error and Cause, and the record says when it goes on', async () => {
  inject(world.simulator, 'before', reading, answer(500), Number.POSITIVE_INFINITY);
  await submit(world, 'down');
  const order = await world.until('down', ({ failure }) => failure !== undefined);
  expect(order).toMatchObject({
    waitingFor: 'service',
    failure: { error: 'ServiceUnavailable' },
    resume: { tries: 1 },
  });
  await world.aws.settle();
  const [execution] = await world.executions('down');
  expect((await world.history(execution?.executionArn)).at(-1)).toMatchObject({
    type: 'ExecutionFailed',
    executionFailedEventDetails: { error: 'ServiceUnavailable', cause: expect.stringContaining('Read order') },
  });
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

test('a rotated client secret works without a deployment', async () => {
  const { clientId } = settings;
  const rotated = world.simulator.rotateClientSecret();
  await world.putCredentials({ client_id: clientId, client_secret: rotated });
  world.simulator.revokeAllTokens();
  Object.assign(settings, OFFERS_AT_ONCE);
  await submit(world, 'rotated');
  expect(await world.untilEnd('rotated')).toMatchObject({ status: 'CLOSED' });
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
