import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { AwsRequest, RequestFault } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import { commandsIn } from '../../helpers/commands-in.ts';
import { answer, confirming, creating, inject, KILLED, reading, uploading } from '../../helpers/faults.ts';
import { invoke, NO_SIGNATURES, OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE });

test('refused order data fails the order with Rejected, and the answer of the service is in staging only', async () => {
  const order = await world.submitToEnd('refused', { scenario: `no such scenario${'x'.repeat(10_000)}` });
  expect(order).toMatchObject({ status: 'RECEIVED', waitingFor: 'operator', failure: { error: 'Rejected' } });
  expect(order.failure?.cause).toMatch(/^Create order: the order service answered 400\./);
  expect(order.failure?.cause).not.toContain('trace');
  const [error] = (await world.stagedKeys('refused')).filter((key) => key.startsWith('errors/'));
  expect(await world.staged('refused', error ?? '')).toMatch(/no such scenariox{3900}/);
  const events = await world.histories('refused');
  const executionFailedEventDetails = { error: 'Rejected', cause: expect.stringContaining('answered 400') };
  expect(events.at(-1)).toMatchObject({ type: 'ExecutionFailed', executionFailedEventDetails });
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

test('an answer to the creation with the orderId of another order is refused, for resolve too', async () => {
  const { orderId } = await world.submitUntil('holder', ({ orderId }) => orderId !== undefined);
  inject(world.simulator, 'before', creating, answer(201, { orderId }));
  const taker = await world.submitToEnd('taker');
  expect(taker.failure).toMatchObject({ error: 'UnexpectedResponse', cause: expect.stringContaining('order holder') });
  expect(taker.orderId).toBeUndefined();
  const { done, refusal } = commandsIn(world);
  expect(await refusal('resolve', 'taker', '--order-id', orderId ?? '')).toContain('already belongs to order holder');
  expect(await refusal('resolve', 'taker', '--order-id', '..')).toContain('The orderId is ".."');
  await done('resolve', 'taker', '--none', '--yes');
  await world.startNext('taker');
  expect(await world.untilEnd('taker')).toMatchObject({ status: 'CLOSED', generation: 2 });
  expect(await world.untilEnd('holder')).toMatchObject({ status: 'CLOSED', orderId });
});

test('an unusable answer to a creation that was carried out leaves the order to an operator, and nothing creates it twice', async () => {
  const creations = () => world.simulator.calls().filter(creating);
  const before = creations().length;
  world.simulator.hooks.after = async (call, _request, reply) => {
    if (!creating(call)) return undefined;
    reply.code(200).type('text/html');
    return '<!doctype html>';
  };
  const { failure, waitingFor } = await world.submitToEnd('page');
  expect({ error: failure?.error, waitingFor }).toEqual({ error: 'UnexpectedResponse', waitingFor: 'operator' });
  expect(await commandsIn(world).refusal('retry', 'page')).toContain('may or may not exist');
  await world.startNext('page');
  expect(await world.untilEnd('page')).toMatchObject({ generation: 2, waitingFor: 'operator' });
  expect(creations().slice(before)).toMatchObject([{ status: 200 }]);
});

test('five unusable answers to reads in a row are an outage, and no read is earlier than each of them asks', async () => {
  const HOUR = 3_600_000;
  inject(world.simulator, 'before', reading, answer(200, { pollAfterSeconds: 3_600 }), 5);
  const { failure, waitingFor } = await world.submitUntil('unusable', (order) => order.failure !== undefined);
  expect(failure).toMatchObject({ error: 'NoUsableAnswer', cause: expect.stringContaining('status') });
  expect(waitingFor).toBe('service');
  expect((await world.stagedKeys('unusable')).filter((key) => key.startsWith('errors/'))).toHaveLength(5);
  const emptyList = { status: 'WAITING_FOR_SIGNATURE', documents: [], pollAfterSeconds: '3600' };
  inject(world.simulator, 'before', reading, answer(200, emptyList));
  await world.startNext('unusable');
  expect(await world.untilEnd('unusable')).toMatchObject({ status: 'CLOSED', generation: 2 });
  const times = (await world.calls('unusable', reading)).map(({ at }) => at);
  const pauses = times.slice(1).map((at, position) => at - (times[position] ?? 0));
  for (const pause of pauses.slice(0, 6)) expect(pause).toBeGreaterThanOrEqual(HOUR);
  expect(pauses[6]).toBeLessThan(HOUR);
});

test('a status that nobody knows fails the order once it is believed, and a retry after one such read goes on', async () => {
  const { hooks } = world.simulator;
  hooks.before = async (call, request, reply) =>
    reading(call) ? answer(200, { status: 'ARCHIVED', pollAfterSeconds: 2 })(call, request, reply) : undefined;
  const { failure, status } = await world.submitToEnd('unknown-status');
  const cause = expect.stringMatching(/ARCHIVED.*orderService\.otherStatuses/);
  expect({ failure, status }).toMatchObject({ failure: { error: 'UnexpectedResponse', cause }, status: 'RECEIVED' });
  const times = (await world.calls('unknown-status', reading)).map(({ at }) => at);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(20_000);
  expect(times.length).toBeLessThan(40);
  delete hooks.before;
  inject(world.simulator, 'before', reading, answer(200, { status: 'UP' }));
  await world.startNext('unknown-status');
  expect(await world.untilEnd('unknown-status')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

const closed = { status: 'CLOSED', pollAfterSeconds: 2, offers: [] };
test.each([
  ['of another order', JSON.stringify({ ...closed, orderId: 'somebody-else' })],
  ['with two statuses', '{"status":"IN_WORK","pollAfterSeconds":2,"status":"CLOSED"}'],
  ['in lower case', '{"status":"closed","pollAfterSeconds":2}'],
  ['with blanks', '{"status":" CLOSED ","pollAfterSeconds":2}'],
  ['of a health check', '{"status":"UP"}'],
  ['with a document twice', '{"status":"WAITING_FOR_SIGNATURE","documents":[{"fileId":"a","fileId":"b"}]}'],
])('a read %s is read again, and nothing of it is recorded', async (what, body) => {
  const orderRef = what.replaceAll(' ', '-');
  inject(world.simulator, 'before', reading, answer(200, body, { 'content-type': 'application/json' }), 3);
  expect(await world.submitToEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect((await world.calls(orderRef, confirming)).map(({ status }) => status)).toEqual([202, 202]);
  expect(await world.told(orderRef, 'Status CLOSED')).toHaveLength(1);
});

test('the order data and the facts of a document are sent once, as they are in order.json', async () => {
  const order = String.raw`{ "b": 1.50, "10": "\/home", "2": 12345678901234567890,
    "company": { "name": "Ромашка \u041e\u041e\u041e", "\u006eote": " " }, "rate": 1E-7 }`;
  const fields = { entityId: 'entity "1"', sourceEntityId: 'источник', docType: 'CHARTER' };
  const rest = { ...orderPackage(), documents: [{ file: 'documents/charter.pdf', ...fields }], order: undefined };
  world.simulator.settings.outcomes = NO_SIGNATURES.outcomes;
  await world.put('verbatim', 'documents/charter.pdf', 'a charter');
  await world.put('verbatim', 'order.json', `{ "order" : ${order} ,${JSON.stringify(rest).slice(1)}`);
  expect(await world.untilEnd('verbatim')).toMatchObject({ status: 'CLOSED' });
  const [created, ...others] = await world.calls('verbatim', creating);
  expect([created?.requestBody, others]).toMatchObject([{ text: order }, []]);
  const [uploaded] = await world.calls('verbatim', uploading);
  expect(uploaded?.requestBody).toMatchObject({ fields, files: [{ name: 'charter.pdf', size: 9 }] });
});
