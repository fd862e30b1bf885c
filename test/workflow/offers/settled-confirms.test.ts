import { afterEach, expect, test } from 'vitest';
import { answer, confirming, type Fault, loseAnswer, loseRequest } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

/** An execution that ends at its confirms, since its credentials are refused there, and the one that a retry starts later. */
const world = await openWorld({ settings: { bankSeconds: 30 } });

const putCredentials = () => {
  const { clientId: client_id, clientSecret: client_secret } = world.simulator.settings;
  return world.putCredentials({ client_id, client_secret });
};

afterEach(putCredentials);

/** In place of the service's answer, once it has done its part. */
const answerAfterwards =
  (status: number): Fault =>
  async (_call, _request, reply) => {
    reply.code(status);
  };

/** Does `fault` to the confirm of this number, counted from 1; no token is to be had after it. */
function interruptAt(position: number, when: 'before' | 'after', fault: Fault): void {
  let confirms = 0;
  world.simulator.hooks[when] = async (call, request, reply) => {
    if (!confirming(call) || ++confirms !== position) return;
    world.simulator.rotateClientSecret();
    world.simulator.revokeAllTokens();
    await fault(call, request, reply);
  };
}

/** Submits an order, whose rule chooses two offers, and answers its `orderId` once it waits for an operator. */
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

async function states(orderRef: string): Promise<string[]> {
  const page = await world.stagedJson<{ choices: { state: string }[] }>(orderRef, 'choices.json');
  return page.choices.map(({ state }) => state);
}

const confirmed = (orderId: string) => world.simulator.order(orderId)?.confirmations.length;
const isClosed = ({ status }: { status: string }) => status === 'CLOSED';

/** Of a choice that is not confirmed once the order is CLOSED. */
const TOO_LATE = 'not confirmed: the order was closed';

test.each([
  ['answered 429', answerAfterwards(429)],
  ['answered 503', answerAfterwards(503)],
  ['not answered', loseAnswer],
])(
  'a first confirm that came through though it was %s is found confirmed by a retry that sees the order CLOSED',
  async (what, fault) => {
    const orderRef = `closed-${what.replace(' ', '-')}`;
    interruptAt(1, 'after', fault);
    const orderId = await untilInterrupted(orderRef);
    expect(await states(orderRef)).not.toContain('confirmed');
    await world.untilAtService(orderId, isClosed);
    await retry(orderRef);
    expect(await states(orderRef)).toEqual(['confirmed', TOO_LATE]);
    expect(confirmed(orderId)).toBe(1);
    const found = (await world.items(orderRef)).filter(({ what: told }) => told === 'Found an offer confirmed');
    expect(found).toHaveLength(1);
  },
);

test('by a retry that comes before that, and confirms the other one', async () => {
  interruptAt(1, 'after', answerAfterwards(429));
  const orderId = await untilInterrupted('approved');
  await retry('approved');
  expect(await states('approved')).toEqual(['confirmed', 'confirmed']);
  const calls = (await world.calls('approved')).filter(confirming);
  expect(calls.map(({ status }) => status)).toEqual([429, 401, 202]);
  expect(confirmed(orderId)).toBe(2);
});

test.each<[string, 'before' | 'after', Fault, string]>([
  ['was lost', 'after', loseAnswer, 'confirmed'],
  ['never came', 'before', loseRequest, TOO_LATE],
])(
  'a further confirm whose answer %s is told by its offer once the order is CLOSED',
  async (what, when, fault, state) => {
    const orderRef = `further-${what.replace(' ', '-')}`;
    interruptAt(2, when, fault);
    const orderId = await untilInterrupted(orderRef);
    expect(await states(orderRef)).toEqual(['confirmed', 'outcome unknown']);
    await world.untilAtService(orderId, isClosed);
    await retry(orderRef);
    expect(await states(orderRef)).toEqual(['confirmed', state]);
    expect(confirmed(orderId)).toBe(state === 'confirmed' ? 2 : 1);
  },
);

test.each<[string, number, string[]]>([
  ['a first', 1, ['not confirmed', 'chosen']],
  ['a further', 2, ['confirmed', 'not confirmed']],
])(
  '%s confirm that was answered 429 and not done is not taken for confirmed when its offer expires',
  async (name, position, expected) => {
    const orderRef = `expired-${name.replace(' ', '-')}`;
    interruptAt(position, 'before', answer(429));
    const orderId = await untilInterrupted(orderRef);
    expect(await states(orderRef)).toEqual(expected);
    const order = world.simulator.order(orderId);
    if (!order) throw new Error(`The service has no order ${orderId}.`);
    for (const offer of order.offers) if (offer.status === 'AVAILABLE') offer.status = 'EXPIRED';
    order.progress = { ...order.progress, due: { status: 'CLOSED', at: world.clock.now() } };
    await retry(orderRef);
    expect(await states(orderRef)).toEqual(expected.map((state) => (state === 'confirmed' ? state : TOO_LATE)));
    expect(confirmed(orderId)).toBe(position - 1);
  },
);
