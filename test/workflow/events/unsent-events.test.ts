import { beforeAll, describe, expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import type { AwsRequest, RequestFault } from '../../../packages/embedded-aws/index.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { runSweep } from '../../helpers/run-sweep.ts';
import { linesOf, listenToEvents, type ToldEvent } from '../../helpers/told-events.ts';
import { SLOWER_SERVICE } from '../../helpers/world.ts';

interface Failing {
  matches(request: AwsRequest): boolean;
  fault: RequestFault;
  /** Whether AWS carries out the request before the fault. */
  after?: true;
}

const sending = ({ operation }: AwsRequest) => operation === 'PutEvents';
const takingOff = ({ operation, body }: AwsRequest) =>
  operation === 'UpdateItem' && body.includes('REMOVE #unsentEvents');

/** What fails in all requests about the order, by its reference. */
const failing: Record<string, Failing> = {
  throttled: { matches: sending, fault: { status: 400, code: 'ThrottlingException' } },
  denied: { matches: sending, fault: { status: 400, code: 'AccessDeniedException' } },
  unanswered: { matches: sending, fault: 'reset', after: true },
  'not-taken-off': { matches: takingOff, fault: { status: 400, code: 'AccessDeniedException' } },
};
const orderRefs = Object.keys(failing);
let isFailing = true;

const world = await openWorld({
  settings: SLOWER_SERVICE,
  requestWrapper: async (request, serve) => {
    const orderRef = orderRefs.find((one) => new RegExp(`"${one}"|\\\\"${one}\\\\"`).test(request.body));
    const due = isFailing && orderRef !== undefined ? failing[orderRef] : undefined;
    if (!due?.matches(request)) return undefined;
    if (due.after) await serve();
    return due.fault;
  },
});
const told = listenToEvents(world);
const until: Record<string, ToldEvent[]> = {};
const ended: Record<string, OrderItem> = {};

const of = (orderRef: string, events = told) => events.filter(({ detail }) => detail.orderRef === orderRef);

beforeAll(async () => {
  await Promise.all(orderRefs.map((orderRef) => submit(world, orderRef)));
  for (const orderRef of orderRefs) ended[orderRef] = await world.untilEnd(orderRef);
  for (const orderRef of orderRefs) until[orderRef] = of(orderRef);
  isFailing = false;
});

const SEQUENCE = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

describe('while events cannot be sent', () => {
  test.each(orderRefs)('the order %s reaches its end, and its outbox keeps its events', (orderRef) => {
    const { status, eventCount, unsentEvents = [] } = ended[orderRef] as OrderItem;
    expect({ status, eventCount }).toEqual({ status: 'CLOSED', eventCount: 11 });
    expect(unsentEvents.map(({ detail }) => detail.sequence)).toEqual(SEQUENCE);
  });

  test('the logs name the error, and no function failed', () => {
    const lines = world.aws.logs().map(({ line }) => line);
    const warned = lines.filter((line) => line.includes('Events were not sent'));
    expect(warned.some((line) => line.includes('AccessDeniedException'))).toBe(true);
    expect(lines.filter((line) => line.includes('Unexpected error'))).toEqual([]);
  });
});

describe('after the next sweep', () => {
  beforeAll(async () => {
    world.clock.advanceTo(world.clock.now() + 120_000);
    expect(await runSweep(world)).toMatchObject({ told: orderRefs.length });
  });

  test.each(orderRefs)(
    'every event of the order %s has come, with one id for each change, in its sequence',
    async (orderRef) => {
      const all = of(orderRef);
      expect([...new Set(all.map(({ detail }) => detail.id))]).toEqual(
        SEQUENCE.map((number) => `${orderRef}/${number}`),
      );
      expect(linesOf(all.slice(-11), orderRef)[10]).toBe('11 Order Ended CLOSED');
      const order = await world.record(orderRef);
      for (const name of ['unsentEvents', 'unsent', 'unsentSince']) expect(order).not.toHaveProperty(name);
    },
  );

  test('what EventBridge had not taken came once, and what it had taken may have come again', () => {
    expect(of('throttled')).toHaveLength(11);
    expect(of('denied')).toHaveLength(11);
    expect(until.throttled).toEqual([]);
    expect(of('unanswered').length).toBeGreaterThan(11);
    expect(of('not-taken-off').length).toBeGreaterThan(11);
  });
});
