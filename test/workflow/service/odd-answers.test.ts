import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { openOrderTable } from '../../../core/aws/order-table.ts';
import { claimOrderId, orderIdKey } from '../../../core/order-service/order-id.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { answer, creating, inject, reading, uploading } from '../../helpers/faults.ts';
import { NO_SIGNATURES, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE });

/** The unusable answers kept in staging, oldest first. */
async function keptAnswers(orderRef: string): Promise<{ error: string; body: string }[]> {
  const keys = (await world.stagedKeys(orderRef)).filter((key) => key.startsWith('errors/')).sort();
  return Promise.all(keys.map((key) => world.stagedJson<{ error: string; body: string }>(orderRef, key)));
}

test('an answer to the creation with the orderId of another order is refused, for resolve too', async () => {
  await submit(world, 'holder');
  const { orderId } = await world.until('holder', ({ orderId }) => orderId !== undefined);
  inject(world.simulator, 'before', creating, answer(201, { orderId }));
  await submit(world, 'taker');
  const taker = await world.untilEnd('taker');
  expect(taker.failure).toMatchObject({
    error: 'UnexpectedResponse',
    cause: expect.stringContaining('order holder'),
  });
  expect(taker.orderId).toBeUndefined();
  const { done, refusal } = commandsIn(world);
  expect(await refusal('resolve', 'taker', '--order-id', orderId ?? '')).toContain('already belongs to order holder');
  expect(await refusal('resolve', 'taker', '--order-id', '..')).toContain('The orderId is ".."');
  await done('resolve', 'taker', '--none', '--yes');
  await world.startNext('taker');
  expect(await world.untilEnd('taker')).toMatchObject({ status: 'CLOSED', generation: 2 });
  expect(await world.untilEnd('holder')).toMatchObject({ status: 'CLOSED', orderId });
});

describe('an unusable answer to a read', () => {
  test.each([
    ['no status', { pollAfterSeconds: 3_600 }],
    ['an empty list to sign', { status: 'WAITING_FOR_SIGNATURE', documents: [], pollAfterSeconds: '3600' }],
  ])('with %s but a usable pollAfterSeconds is not followed by an earlier read', async (name, body) => {
    const orderRef = `keeps-to-it-${name.length}`;
    inject(world.simulator, 'before', reading, answer(200, body));
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
    const [first, second, third] = (await world.calls(orderRef, reading)).map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(3_600_000);
    expect((third ?? 0) - (second ?? 0)).toBeLessThan(3_600_000);
  });

  test('that failed the order has a pollAfterSeconds that the retry respects', async () => {
    inject(world.simulator, 'before', reading, answer(200, { pollAfterSeconds: 3_600 }), 5);
    await submit(world, 'failed-by-them');
    expect(await world.untilEnd('failed-by-them')).toMatchObject({ failure: { error: 'UnexpectedResponse' } });
    await world.startNext('failed-by-them');
    expect(await world.untilEnd('failed-by-them')).toMatchObject({ status: 'CLOSED', generation: 2 });
    const [, , , , last, next] = (await world.calls('failed-by-them', reading)).map(({ at }) => at);
    expect((next ?? 0) - (last ?? 0)).toBeGreaterThanOrEqual(3_600_000);
  });

  test('fails the order after five in a row, and a retry reads the order again', async () => {
    inject(world.simulator, 'before', reading, answer(200, []), 5);
    await submit(world, 'unreadable');
    const { failure } = await world.untilEnd('unreadable');
    expect(failure).toMatchObject({ error: 'UnexpectedResponse', cause: expect.stringContaining('not a JSON object') });
    expect(await keptAnswers('unreadable')).toHaveLength(5);
    await world.startNext('unreadable');
    expect(await world.untilEnd('unreadable')).toMatchObject({ status: 'CLOSED', generation: 2 });
  });
});

test('an orderId belongs to one order until it is released, then another order can hold it', async () => {
  const table = openOrderTable(new DynamoDBClient(world.client), world.outputs.OrderTable ?? '');
  const claimed = (orderRef: string) => claimOrderId(table, orderRef, 'id-1');
  expect(await claimed('one')).toBeUndefined();
  expect(await claimed('one')).toBeUndefined();
  expect(await claimed('other')).toBe('one');
  await table.deleteItem(orderIdKey('id-1'));
  expect(await claimed('other')).toBeUndefined();
});

test('a status outside the specification fails the order with a clear cause, and the read is in staging', async () => {
  inject(world.simulator, 'before', reading, answer(200, { status: 'ARCHIVED', pollAfterSeconds: 2 }));
  await submit(world, 'unknown-status');
  const order = await world.untilEnd('unknown-status');
  expect(order.failure).toMatchObject({ error: 'UnexpectedResponse', cause: expect.stringContaining('snapshot.json') });
  expect(await world.stagedJson('unknown-status', 'snapshot.json')).toMatchObject({ status: 'ARCHIVED' });
});

test('the order data and the facts of a document are sent once, as they are in order.json', async () => {
  const order = String.raw`{ "b": 1.50, "10": "\/home", "2": 12345678901234567890,
    "company": { "name": "Ромашка \u041e\u041e\u041e", "name": "written twice" }, "rate": 1E-7 }`;
  const fields = { entityId: 'entity "1"', sourceEntityId: 'источник', docType: 'CHARTER' };
  const rest = { ...orderPackage(), documents: [{ file: 'documents/charter.pdf', ...fields }], order: undefined };
  world.simulator.settings.outcomes = NO_SIGNATURES.outcomes;
  await world.put('verbatim', 'documents/charter.pdf', 'a charter');
  await world.put('verbatim', 'order.json', `{"order":{"x":1}, "order" : ${order} ,${JSON.stringify(rest).slice(1)}`);
  expect(await world.untilEnd('verbatim')).toMatchObject({ status: 'CLOSED' });
  const [created, ...others] = await world.calls('verbatim', creating);
  expect([created?.requestBody, others]).toMatchObject([{ text: order }, []]);
  const [uploaded] = await world.calls('verbatim', uploading);
  expect(uploaded?.requestBody).toMatchObject({ fields, files: [{ name: 'charter.pdf', size: 9 }] });
});
