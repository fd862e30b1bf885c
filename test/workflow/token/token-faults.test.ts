import type { AwsRequest, RequestFault } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import { creating } from '../../helpers/faults.ts';
import { OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';

/** An SDK client makes up to four attempts (DynamoDB), so this fails one run of a function and the first attempt of the next. */
const FAULTS = 5;

const world = await openWorld({ settings: OFFERS_AT_ONCE });

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
