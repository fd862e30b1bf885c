import type { AwsRequest, RequestFault } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import { answer, creating, inject, type Matches } from '../../helpers/faults.ts';
import { OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

/** An SDK client makes up to four attempts (DynamoDB), so this fails one run of a function and the first attempt of the next. */
const FAULTS = 5;

const world = await openWorld({ settings: OFFERS_AT_ONCE });

const sharedToken =
  (operation: string, part = '') =>
  (request: AwsRequest) =>
    request.operation === operation && ['"orderRef":{"S":"#token"}', part].every((one) => request.body.includes(one));

const table = {
  throttled: { status: 400, code: 'ProvisionedThroughputExceededException' },
  failed: { status: 500, code: 'InternalServerError' },
};
test.each<[string, (request: AwsRequest) => boolean, RequestFault, boolean, number]>([
  ['the shared token cannot be read', sharedToken('GetItem'), table.throttled, false, FAULTS],
  ['the token lock cannot be taken', sharedToken('UpdateItem'), table.failed, false, FAULTS],
  ['the answer to taking the token lock is lost', sharedToken('UpdateItem'), 'reset', true, 1],
  ['the new token cannot be written', sharedToken('UpdateItem', '":sealed"'), table.failed, false, FAULTS],
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
    // Every function must now request a new token.
    world.simulator.revokeAllTokens();
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
    expect(left).toBeLessThan(times);
    const calls = world.simulator.calls().filter((call) => call.sequence > sequence);
    // A creation with an old token was refused and does not count.
    expect(calls.filter((call) => creating(call) && call.status === 201)).toHaveLength(1);
  },
);

test.each([429, 503])(
  'when the authorization service answers %i with a Retry-After of an hour, nobody requests a token before that time, and no read is retried',
  async (status) => {
    const requesting: Matches = ({ route }) => route === '/oauth2/token';
    const orderRefs = [1, 2, 3].map((number) => `waits-for-a-token-${status}-${number}`);
    for (const orderRef of orderRefs) {
      await submit(world, orderRef, { scenario: 'slow-processing' });
      await world.until(orderRef, ({ status: known }) => known === 'IN_WORK');
    }
    const before = world.simulator.calls().length;
    world.simulator.revokeAllTokens();
    inject(world.simulator, 'before', requesting, answer(status, undefined, { 'retry-after': '3600' }));
    for (const orderRef of orderRefs) {
      expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
      expect((await world.histories(orderRef)).filter(({ type }) => type === 'TaskFailed')).toEqual([]);
    }
    const requests = world.simulator.calls().slice(before).filter(requesting);
    expect(requests.map((call) => call.status)).toEqual([status, 200]);
    expect((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)).toBeGreaterThanOrEqual(3_600_000);
  },
);

test('when no token can be obtained, the ledger records that the creation was not sent', async () => {
  world.simulator.revokeAllTokens();
  inject(world.simulator, 'before', ({ route }) => route === '/oauth2/token', answer(500), 100);
  await submit(world, 'no-token');
  const { failure } = await world.until('no-token', (order) => order.failure !== undefined);
  expect(failure).toMatchObject({ error: 'ServiceUnavailable', cause: expect.stringContaining('answered 500') });
  expect(await world.knowledge('no-token', 'create')).toEqual({ state: 'none' });
});
