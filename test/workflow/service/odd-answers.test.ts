import { expect, test } from 'vitest';
import { commandsIn } from '../../helpers/commands-in.ts';
import { answer, confirming, creating, inject, reading, uploading } from '../../helpers/faults.ts';
import { NO_SIGNATURES, OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE });

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
  inject(
    world.simulator,
    'before',
    reading,
    async (_call, _request, reply) => {
      await reply.type('application/json').send(body);
    },
    3,
  );
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
