import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RecordedCall, SimulatorHooks } from '../../simulator/index.ts';
import { submit } from '../helpers/packages.ts';
import { World } from '../helpers/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.start();
});

beforeEach(() => {
  world.simulator.settings.pollAfterSeconds = 2;
});

afterEach(() => {
  delete world.simulator.hooks.before;
  delete world.simulator.hooks.after;
});

afterAll(() => world.close());

const is = (method: string, path: RegExp) => (call: RecordedCall) => call.method === method && path.test(call.path);
const creating = is('POST', /^\/v1\/orders$/);
const accepting = is('POST', /\/accept$/);
const confirming = is('POST', /\/confirm$/);
const reading = is('GET', /^\/v1\/orders\/[^/]+$/);
const uploading = is('POST', /\/documents$/);

/** Does `fault` to the first `times` calls that match, before or after the service has done its part. */
function inject(
  when: keyof SimulatorHooks,
  matches: (call: RecordedCall) => boolean,
  fault: NonNullable<SimulatorHooks['before']>,
  times = 1,
) {
  let left = times;
  world.simulator.hooks[when] = async (call, request, reply) => {
    if (left === 0 || !matches(call)) return;
    left -= 1;
    await fault(call, request, reply);
  };
}

/** After the service has done its part: only the answer is lost. */
const loseAnswer: NonNullable<SimulatorHooks['after']> = async (_call, request) => {
  request.raw.socket.destroy();
};

/** Before the service has done its part: it never does. */
const loseRequest: NonNullable<SimulatorHooks['before']> = async (_call, request, reply) => {
  request.raw.socket.destroy();
  await reply.send();
};

const answer =
  (status: number, headers: Record<string, string> = {}): NonNullable<SimulatorHooks['before']> =>
  async (_call, _request, reply) => {
    await reply.code(status).headers(headers).send();
  };

const callsOf = async (orderRef: string, matches: (call: RecordedCall) => boolean) =>
  (await world.calls(orderRef)).filter(matches);
const ordersOf = () => world.simulator.orders().length;

test('a passing 503 on a read and a 429 on an upload are retried', async () => {
  inject('before', reading, answer(503), 3);
  await submit(world, 'busy-read');
  expect(await world.untilEnd('busy-read')).toMatchObject({ status: 'CLOSED' });
  inject('before', uploading, answer(429, { 'retry-after': '1' }), 3);
  await submit(world, 'busy-upload');
  expect(await world.untilEnd('busy-upload')).toMatchObject({ status: 'CLOSED' });
  expect((await callsOf('busy-upload', uploading)).map(({ status }) => status)).toEqual([429, 429, 429, 201]);
});

test('a creation whose answer was lost is never repeated: OutcomeUnknown, for an operator', async () => {
  const before = ordersOf();
  inject('after', creating, loseAnswer);
  await submit(world, 'lost-creation');
  const order = await world.untilEnd('lost-creation');
  expect(order).toMatchObject({ status: 'RECEIVED', waitingFor: 'operator', failure: { error: 'OutcomeUnknown' } });
  expect(ordersOf()).toBe(before + 1);
  expect((await world.items('lost-creation')).find(({ item }) => item === 'operation#create')).toMatchObject({
    state: 'intended',
  });
});

test('a creation that was refused for now is repeated: 503 proves that nothing was done', async () => {
  const before = ordersOf();
  inject('before', creating, answer(503));
  await submit(world, 'busy-creation');
  expect(await world.untilEnd('busy-creation')).toMatchObject({ status: 'CLOSED' });
  expect(ordersOf()).toBe(before + 1);
});

test.each([
  ['accept', accepting],
  ['confirm', confirming],
])('%s whose answer was lost is reconciled by reading the order, not sent again', async (name, matches) => {
  inject('after', matches, loseAnswer);
  await submit(world, `lost-${name}`);
  expect(await world.untilEnd(`lost-${name}`)).toMatchObject({ status: 'CLOSED' });
  expect((await callsOf(`lost-${name}`, matches)).map(({ status }) => status)).toEqual([202, 202]);
});

test.each([
  ['accept', accepting],
  ['confirm', confirming],
])('%s that was never done is sent again', async (name, matches) => {
  inject('before', matches, loseRequest);
  await submit(world, `unsent-${name}`);
  expect(await world.untilEnd(`unsent-${name}`)).toMatchObject({ status: 'CLOSED' });
  expect(await callsOf(`unsent-${name}`, matches)).toHaveLength(3);
});

test('an upload whose answer was lost is sent again, and counted', async () => {
  inject('after', uploading, loseAnswer);
  await submit(world, 'lost-upload');
  expect(await world.untilEnd('lost-upload')).toMatchObject({ status: 'CLOSED' });
  expect(await callsOf('lost-upload', uploading)).toHaveLength(2);
  const operation = (await world.items('lost-upload')).find(({ item }) => item.startsWith('operation#upload-document'));
  expect(operation).toMatchObject({ state: 'done', attempts: 2 });
});

test.each([-1, 1e12, '3', 'soon', null, undefined])(
  'pollAfterSeconds %j is clamped and logged, never fatal',
  async (sent) => {
    const before = world.aws.logs().length;
    world.simulator.settings.pollAfterSeconds = sent as number;
    const orderRef = `poll-${String(sent).replace('-', 'minus-')}`;
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
    const lines = world.aws
      .logs()
      .slice(before)
      .filter(({ line }) => line.includes('"WARN"') && line.includes('pollAfterSeconds is'));
    expect(lines.length).toBeGreaterThan(0);
  },
);

test('an order whose service is down for good ends in Fail with Error and Cause, and the record says so', async () => {
  inject('before', reading, answer(500), Number.POSITIVE_INFINITY);
  await submit(world, 'down');
  const order = await world.untilEnd('down');
  expect(order).toMatchObject({ waitingFor: 'operator', failure: { error: 'ServiceUnavailable' } });
  const [execution] = await world.executions('down');
  expect((await world.history(execution?.executionArn)).at(-1)).toMatchObject({
    type: 'ExecutionFailed',
    executionFailedEventDetails: { error: 'ServiceUnavailable', cause: expect.stringContaining('Read order') },
  });
});

/** Once accept was called, reads answer WAITING_FOR_DOCUMENTS this many times, whatever the order has become. */
function answerStale(times: number) {
  let left = 0;
  world.simulator.hooks.before = async (call, _request, reply) => {
    if (accepting(call) && left === 0) left = times;
    if (!reading(call) || left === 0) return;
    left -= 1;
    await reply.code(200).send({ status: 'WAITING_FOR_DOCUMENTS', pollAfterSeconds: 2 });
  };
}

test('a stale read right after accept is no second round', async () => {
  answerStale(2);
  await submit(world, 'stale', { scenario: 'validation-fails-after-documents' });
  expect(await world.untilEnd('stale')).toMatchObject({ status: 'VALIDATION_FAILED', documentsRound: 1 });
  expect(await callsOf('stale', uploading)).toHaveLength(1);
  expect(await callsOf('stale', accepting)).toHaveLength(1);
});

test('a status that repeats with nothing left to do fails with a sentence, and does not loop', async () => {
  answerStale(Number.POSITIVE_INFINITY);
  await submit(world, 'stuck');
  const order = await world.untilEnd('stuck');
  expect(order).toMatchObject({ status: 'WAITING_FOR_DOCUMENTS', waitingFor: 'operator' });
  expect(order.failure).toMatchObject({
    error: 'UnexpectedResponse',
    cause: expect.stringContaining('is still WAITING_FOR_DOCUMENTS'),
  });
  expect((await callsOf('stuck', reading)).length).toBeLessThan(30);
  expect(await callsOf('stuck', accepting)).toHaveLength(1);
});

test('credentials that are refused: Unauthorized, with where to put the right ones', async () => {
  const { clientId, clientSecret } = world.simulator.settings;
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

test('a rotated secret needs no deployment', async () => {
  const { clientId } = world.simulator.settings;
  const rotated = world.simulator.rotateClientSecret();
  await world.putCredentials({ client_id: clientId, client_secret: rotated });
  world.simulator.revokeAllTokens();
  await submit(world, 'rotated');
  expect(await world.untilEnd('rotated')).toMatchObject({ status: 'CLOSED' });
});

test('a download that breaks off is made again, and nothing but the whole document is staged', async () => {
  inject('before', is('GET', /\/download$/), async (_call, _request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 100_000 });
    reply.raw.write('%PDF-half of it');
    setImmediate(() => reply.raw.destroy());
  });
  await submit(world, 'cut-download');
  expect(await world.untilEnd('cut-download')).toMatchObject({ status: 'CLOSED' });
  const downloads = await callsOf('cut-download', is('GET', /\/download$/));
  expect(downloads).toHaveLength(3);
});

test('a status that the specification does not know fails with a sentence, and the read is in staging', async () => {
  inject('before', reading, async (_call, _request, reply) => {
    await reply.code(200).send({ status: 'ARCHIVED', pollAfterSeconds: 2 });
  });
  await submit(world, 'unknown-status');
  const order = await world.untilEnd('unknown-status');
  expect(order.failure).toMatchObject({ error: 'UnexpectedResponse', cause: expect.stringContaining('snapshot.json') });
  expect(await world.stagedJson('unknown-status', 'snapshot.json')).toMatchObject({ status: 'ARCHIVED' });
});

test('a long refusal is kept in staging, cut, not dropped', async () => {
  inject('before', creating, async (_call, _request, reply) => {
    await reply.code(422).send({ problems: 'x'.repeat(10_000) });
  });
  await submit(world, 'long-refusal');
  await world.untilEnd('long-refusal');
  const [key = ''] = (await world.stagedKeys('long-refusal')).filter((name) => name.startsWith('errors/'));
  expect((await world.stagedJson<{ body: string }>('long-refusal', key)).body).toMatch(/^\{"problems":"x{4000}/);
});

test('a secret without a value yet: Unauthorized, with what to do', async () => {
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
