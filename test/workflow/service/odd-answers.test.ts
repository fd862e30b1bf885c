import { beforeEach, describe, expect, test } from 'vitest';
import { resolve } from '../../../commands/resolve.ts';
import { claimOrderId, orderIdKey } from '../../../core/order-service/order-id.ts';
import { answer, creating, inject, type loseAnswer, reading } from '../../helpers/faults.ts';
import { OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { connectionTo } from '../../helpers/operator.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld();

beforeEach(() => {
  Object.assign(world.simulator.settings, { ...OFFERS_AT_ONCE, pollAfterSeconds: 2 });
});

/** The unusable answers kept in staging, oldest first. */
async function keptAnswers(orderRef: string): Promise<{ error: string; body: string }[]> {
  const keys = (await world.stagedKeys(orderRef)).filter((key) => key.startsWith('errors/')).sort();
  return Promise.all(keys.map((key) => world.stagedJson<{ error: string; body: string }>(orderRef, key)));
}

const text =
  (status: number, body: string): typeof loseAnswer =>
  async (_call, _request, reply) => {
    await reply
      .code(status)
      .type(body.startsWith('<') ? 'text/html' : 'application/json')
      .send(body);
  };

describe('an unusable answer to the creation', () => {
  test('an answer with the orderId of another order is refused, for resolve too', async () => {
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
    const connection = connectionTo(world);
    await expect(resolve(connection, 'taker', orderId)).rejects.toThrow('already belongs to order holder');
    await expect(resolve(connection, 'taker', '..')).rejects.toThrow('The orderId is ".."');
    await resolve(connection, 'taker', undefined);
    await world.startNext('taker');
    expect(await world.untilEnd('taker')).toMatchObject({ status: 'CLOSED', generation: 2 });
    expect(await world.untilEnd('holder')).toMatchObject({ status: 'CLOSED', orderId });
    expect((await world.calls('holder')).filter(reading).every(({ earlyBySeconds }) => !earlyBySeconds)).toBe(true);
  });
});

describe('an unusable answer to a read', () => {
  const unusable = [
    ['an HTML page', '<html>Back soon</html>', 'the body is not JSON'],
    ['no status', '{"pollAfterSeconds":2}', 'the order has no status'],
    [
      'a document that is null',
      '{"status":"WAITING_FOR_SIGNATURE","documents":[null]}',
      'documents[0] is not an object',
    ],
  ] as const;

  test.each([
    ['no status', { pollAfterSeconds: 3_600 }],
    ['an empty list to sign', { status: 'WAITING_FOR_SIGNATURE', documents: [], pollAfterSeconds: '3600' }],
  ])('with %s but a usable pollAfterSeconds is not followed by an earlier read', async (name, body) => {
    const orderRef = `keeps-to-it-${name.length}`;
    inject(world.simulator, 'before', reading, answer(200, body));
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
    const [first, second, third] = (await world.calls(orderRef)).filter(reading).map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(3_600_000);
    expect((third ?? 0) - (second ?? 0)).toBeLessThan(3_600_000);
  });

  test('that failed the order has a pollAfterSeconds that the retry respects', async () => {
    inject(world.simulator, 'before', reading, answer(200, { pollAfterSeconds: 3_600 }), 5);
    await submit(world, 'failed-by-them');
    expect(await world.untilEnd('failed-by-them')).toMatchObject({ failure: { error: 'UnexpectedResponse' } });
    await world.startNext('failed-by-them');
    expect(await world.untilEnd('failed-by-them')).toMatchObject({ status: 'CLOSED', generation: 2 });
    const [, , , , last, next] = (await world.calls('failed-by-them')).filter(reading).map(({ at }) => at);
    expect((next ?? 0) - (last ?? 0)).toBeGreaterThanOrEqual(3_600_000);
  });

  test.each(unusable)('with %s is kept, and the order is read again after a wait', async (name, body, problem) => {
    const orderRef = `read-once-${name.length}`;
    inject(world.simulator, 'before', reading, text(200, body));
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
    const [kept] = await keptAnswers(orderRef);
    expect(kept).toMatchObject({ error: 'UnexpectedResponse', body, message: expect.stringContaining(problem) });
    const reads = (await world.calls(orderRef)).filter(reading);
    expect(reads.filter(({ earlyBySeconds }) => earlyBySeconds)).toEqual([]);
  });

  test('fails the order after five in a row, and a retry reads the order again', async () => {
    inject(world.simulator, 'before', reading, text(200, '[]'), 5);
    await submit(world, 'unreadable');
    const { failure } = await world.untilEnd('unreadable');
    expect(failure).toMatchObject({ error: 'UnexpectedResponse', cause: expect.stringContaining('not a JSON object') });
    expect(await keptAnswers('unreadable')).toHaveLength(5);
    await world.startNext('unreadable');
    expect(await world.untilEnd('unreadable')).toMatchObject({ status: 'CLOSED', generation: 2 });
  });
});

test('an orderId belongs to one order until it is released, then another order can hold it', async () => {
  const { table } = connectionTo(world).record;
  const claimed = (orderRef: string) => claimOrderId(table, orderRef, 'id-1');
  expect(await claimed('one')).toBeUndefined();
  expect(await claimed('one')).toBeUndefined();
  expect(await claimed('other')).toBe('one');
  await table.deleteItem(orderIdKey('id-1'));
  expect(await claimed('other')).toBeUndefined();
});
