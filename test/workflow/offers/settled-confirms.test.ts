import { afterEach, expect, test } from 'vitest';
import { answer, confirming, type Fault, loseAnswer, loseRequest } from '../../helpers/faults.ts';
import { choiceStates, closeAtNextRead, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

/** An execution fails at a confirm because its credentials are refused. A later retry starts the next execution. */
const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, pollAfterSeconds: 10, bankSeconds: 30 } });

const putCredentials = () => {
  const { clientId: client_id, clientSecret: client_secret } = world.simulator.settings;
  return world.putCredentials({ client_id, client_secret });
};

afterEach(putCredentials);

/** The service does its work, but its answer has another status. */
const misreport =
  (status: number): Fault =>
  async (_call, _request, reply) => {
    reply.code(status);
  };

/** Applies `fault` to confirm number `position`, counted from 1. After it no token can be obtained. */
function interruptAt(position: number, when: 'before' | 'after', fault: Fault): void {
  let confirms = 0;
  world.simulator.hooks[when] = async (call, request, reply) => {
    if (!confirming(call) || ++confirms !== position) return;
    world.simulator.rotateClientSecret();
    world.simulator.revokeAllTokens();
    await fault(call, request, reply);
  };
}

/** Submits an order whose rule chooses two offers. Returns its `orderId` once the order waits for an operator. */
async function untilInterrupted(orderRef: string): Promise<string> {
  await submit(world, orderRef);
  const { failure, orderId = '' } = await world.untilEnd(orderRef);
  expect(failure).toMatchObject({ error: 'Unauthorized' });
  return orderId;
}

async function retry(orderRef: string): Promise<void> {
  await putCredentials();
  await world.startNext(orderRef);
  const order = await world.untilEnd(orderRef);
  expect(order).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
}

const confirmations = (orderId: string) => world.simulator.order(orderId)?.confirmations.length;
const isClosed = ({ status }: { status: string }) => status === 'CLOSED';

/** The state of a choice that was not confirmed before the order became CLOSED. */
const TOO_LATE = 'not confirmed: the order was closed';

test.each([
  ['answered 429', misreport(429)],
  ['answered 503', misreport(503)],
  ['not answered', loseAnswer],
])(
  'a first confirm that was done although it was %s is found confirmed by a retry that sees the order CLOSED',
  async (what, fault) => {
    const orderRef = `closed-${what.replace(' ', '-')}`;
    interruptAt(1, 'after', fault);
    const orderId = await untilInterrupted(orderRef);
    expect(await choiceStates(world, orderRef)).not.toContain('confirmed');
    await world.untilAtService(orderId, isClosed);
    await retry(orderRef);
    expect(await choiceStates(world, orderRef)).toEqual(['confirmed', TOO_LATE]);
    expect(confirmations(orderId)).toBe(1);
    const found = (await world.items(orderRef)).filter(({ what: line }) => line === 'Found an offer confirmed');
    expect(found).toHaveLength(1);
  },
);

test('a first confirm that was done although it was answered 429 is found by a retry before the order closes, which confirms the second offer', async () => {
  interruptAt(1, 'after', misreport(429));
  const orderId = await untilInterrupted('approved');
  await retry('approved');
  expect(await choiceStates(world, 'approved')).toEqual(['confirmed', 'confirmed']);
  const calls = (await world.calls('approved')).filter(confirming);
  expect(calls.map(({ status }) => status)).toEqual([429, 401, 202]);
  expect(confirmations(orderId)).toBe(2);
});

test.each<[string, 'before' | 'after', Fault, string]>([
  ['was lost after it was done', 'after', loseAnswer, 'confirmed'],
  ['was lost before it was done', 'before', loseRequest, TOO_LATE],
])(
  'the status of the offer settles a second confirm that %s, once the order is CLOSED',
  async (what, when, fault, state) => {
    const orderRef = `further-${what.replaceAll(' ', '-')}`;
    interruptAt(2, when, fault);
    const orderId = await untilInterrupted(orderRef);
    expect(await choiceStates(world, orderRef)).toEqual(['confirmed', 'outcome unknown']);
    await world.untilAtService(orderId, isClosed);
    await retry(orderRef);
    expect(await choiceStates(world, orderRef)).toEqual(['confirmed', state]);
    expect(confirmations(orderId)).toBe(state === 'confirmed' ? 2 : 1);
  },
);

test.each<[string, number, string[]]>([
  ['first', 1, ['not confirmed', 'chosen']],
  ['second', 2, ['confirmed', 'not confirmed']],
])(
  'a %s confirm that was answered 429 and not done does not count as confirmed when its offer expires',
  async (name, position, expected) => {
    const orderRef = `expired-${name}`;
    interruptAt(position, 'before', answer(429));
    const orderId = await untilInterrupted(orderRef);
    expect(await choiceStates(world, orderRef)).toEqual(expected);
    const order = world.simulator.order(orderId);
    if (!order) throw new Error(`The service has no order ${orderId}.`);
    for (const offer of order.offers) if (offer.status === 'AVAILABLE') offer.status = 'EXPIRED';
    closeAtNextRead(world, order);
    await retry(orderRef);
    expect(await choiceStates(world, orderRef)).toEqual(
      expected.map((state) => (state === 'confirmed' ? state : TOO_LATE)),
    );
    expect(confirmations(orderId)).toBe(position - 1);
  },
);
