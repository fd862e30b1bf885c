import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from 'vitest';
import type { InvokeWrapper, RequestWrapper } from '../../../local/aws/index.ts';
import type { SimulatedOrder } from '../../../simulator/index.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import type { World } from '../../helpers/world.ts';

/** Decisions that come within a moment, of which a function holds the older. */
let requested: RequestWrapper | undefined;
let invoked: InvokeWrapper | undefined;
const world: World = await openWorld({
  settings: { bankSeconds: 60 },
  requestWrapper: async (request, serve) => requested?.(request, serve),
  invokeWrapper: (functionName, event, invoke) => (invoked ? invoked(functionName, event, invoke) : invoke()),
});

afterEach(() => {
  requested = undefined;
  invoked = undefined;
});

interface Page {
  choices: { offerId: string; code: string; state: string }[];
}

const page = async (orderRef: string) => (await world.stagedJson<Page>(orderRef, 'choices.json')).choices;
const decide = (orderRef: string, choices: unknown[]) => world.put(orderRef, 'decision.json', { choices });

/** Submits an order and answers what can be chosen once it waits for that: offers with their codes. */
async function untilOffers(orderRef: string) {
  await submit(world, orderRef, { offers: { choose: 'manual' } });
  const { orderId = '' } = await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision');
  const order = world.simulator.order(orderId);
  if (!order) throw new Error(`The service has no order ${orderId}.`);
  const offers = order.offers.filter(({ status }) => status === 'AVAILABLE');
  return {
    order,
    offers: offers.map(({ offerId, creditOptions }) => ({ offerId, codes: creditOptions.map(({ code }) => code) })),
  };
}

const confirmed = ({ confirmations }: SimulatedOrder) => confirmations.map(({ offerId, code }) => ({ offerId, code }));

/** Holds the first request that `matches` until `until` is done. */
function holdFirst(matches: (request: Parameters<RequestWrapper>[0]) => boolean, until: () => Promise<void>): void {
  let isHeld = false;
  requested = async (request) => {
    if (isHeld || !matches(request)) return undefined;
    isHeld = true;
    await until();
    return undefined;
  };
}

/** The service closes the order at its next read. */
function closeNext(order: SimulatedOrder): void {
  order.progress = { ...order.progress, due: { status: 'CLOSED', at: world.clock.now() } };
}

const writesDecision =
  (orderRef: string) =>
  ({ operation, body }: Parameters<RequestWrapper>[0]) =>
    operation === 'UpdateItem' && body.includes('":decision"') && body.includes(`"${orderRef}"`);

const writesChoices =
  (orderRef: string) =>
  ({ service, operation, path }: Parameters<RequestWrapper>[0]) =>
    service === 'S3' && operation === 'PUT' && path.includes(`${orderRef}/choices.json`);

test('of two decisions the newer counts, though the function of the older writes last', async () => {
  const orderRef = 'older-writes-last';
  const { order, offers } = await untilOffers(orderRef);
  const [first, second] = offers.map(({ offerId, codes }) => ({ offerId, code: codes[0] }));
  const newerIsKept = Promise.withResolvers<void>();
  let writes = 0;
  requested = async (request) => {
    if (!writesDecision(orderRef)(request)) return undefined;
    writes += 1;
    // The first that would write is the older: it waits until the newer has been written.
    if (writes === 1) await newerIsKept.promise;
    if (writes === 2) queueMicrotask(() => setImmediate(newerIsKept.resolve));
    return undefined;
  };
  await decide(orderRef, [first]);
  while (writes === 0) await new Promise(setImmediate);
  await decide(orderRef, [second]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(confirmed(order)).toEqual([second]);
  expect((await page(orderRef)).find(({ offerId }) => offerId === second?.offerId)).toMatchObject({
    state: 'confirmed',
  });
});

test('the page shows the newer decision, though the function of the older stages last', async () => {
  const orderRef = 'older-stages-last';
  const { order, offers } = await untilOffers(orderRef);
  const [first] = offers.map(({ offerId, codes }) => ({ offerId, code: codes[0] }));
  const newerIsStaged = Promise.withResolvers<void>();
  let stagings = 0;
  requested = async (request) => {
    if (!writesChoices(orderRef)(request)) return undefined;
    stagings += 1;
    if (stagings === 1) await newerIsStaged.promise;
    else setTimeout(newerIsStaged.resolve, 50);
    return undefined;
  };
  await decide(orderRef, [first]);
  while (stagings === 0) await new Promise(setImmediate);
  await decide(orderRef, []);
  await world.aws.settle();
  expect(confirmed(order)).toEqual([]);
  expect(await page(orderRef)).toEqual([{ ...first, state: 'withdrawn' }]);
});

test.each([
  ['an unusable one follows', (orderRef: string) => world.put(orderRef, 'decision.json', '{ "choices": oops')],
  ['its file is deleted', (orderRef: string) => world.removeFromIntake(orderRef, 'decision.json')],
])('a decision that was taken counts, and wakes the order, though %s at once', async (name, follow) => {
  const orderRef = `taken-though-${name.length}`;
  const { order, offers } = await untilOffers(orderRef);
  const [choice] = offers.map(({ offerId, codes }) => ({ offerId, code: codes[0] }));
  holdFirst(writesDecision(orderRef), () => follow(orderRef));
  await decide(orderRef, [choice]);
  await world.aws.settle();
  expect(confirmed(order)).toEqual([choice]);
  const arrivals = (await world.items(orderRef)).filter(({ what }) => what === 'A decision arrived');
  expect(arrivals).toHaveLength(1);
});

test('another code for the offer, decided just before its confirm is sent, is the one that is sent', async () => {
  const orderRef = 'other-code';
  const { order, offers } = await untilOffers(orderRef);
  const [offer] = offers;
  const [code, otherCode] = offer?.codes ?? [];
  const begins = ({ operation, body }: Parameters<RequestWrapper>[0]) =>
    operation === 'PutItem' && body.includes('operation#confirm#') && body.includes(`"${orderRef}"`);
  holdFirst(begins, async () => {
    await decide(orderRef, [{ offerId: offer?.offerId, code: otherCode }]);
    const isKept = async () => (await world.record(orderRef))?.decision?.choices[0]?.code === otherCode;
    while (!(await isKept())) await new Promise(setImmediate);
  });
  await decide(orderRef, [{ offerId: offer?.offerId, code }]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(confirmed(order)).toEqual([{ offerId: offer?.offerId, code: otherCode }]);
  expect(await page(orderRef)).toEqual([{ offerId: offer?.offerId, code: otherCode, state: 'confirmed' }]);
});

test('a decision that comes as the order is closed is answered: the choice was not confirmed', async () => {
  const orderRef = 'as-it-closes';
  const { order, offers } = await untilOffers(orderRef);
  const [first, second] = offers.map(({ offerId, codes }) => ({ offerId, code: codes[0] }));
  await decide(orderRef, [first]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  closeNext(order);
  // The read that finds it CLOSED has been begun, and the record does not say so yet.
  holdFirst(
    ({ operation, body }) => operation === 'UpdateItem' && body.includes('"CLOSED"') && body.includes(`"${orderRef}"`),
    async () => {
      await decide(orderRef, [first, second]);
      const isTaken = async () => (await world.record(orderRef))?.decision?.choices.length === 2;
      while (!(await isTaken())) await new Promise(setImmediate);
    },
  );
  await world.untilEnd(orderRef);
  await world.aws.settle();
  expect(await page(orderRef)).toEqual([
    { ...first, state: 'confirmed' },
    { ...second, state: 'not confirmed: the order was closed' },
  ]);
});

const isWait = ({ operation, body }: Parameters<RequestWrapper>[0]) =>
  operation === 'UpdateItem' && body.includes('":waitingFor":{"S":"decision"}');

test('a function that is slow to say that the order waits for a decision says nothing of one that is CLOSED by then', async () => {
  const orderRef = 'slow-to-wait';
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.directClientSettings));
  holdFirst(isWait, async () => {
    // What the function of a read records that finds the order CLOSED.
    await table.send(
      new UpdateCommand({
        TableName: world.outputs.OrderTable,
        Key: { orderRef, item: 'order' },
        UpdateExpression: 'SET #status = :closed, waitingFor = :nobody',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':closed': 'CLOSED', ':nobody': 'nobody' },
      }),
    );
  });
  await submit(world, orderRef, { offers: { choose: 'manual' } });
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
});

test('a function that asks for a decision once more, late, does not ask for one on a CLOSED order', async () => {
  const orderRef = 'asks-late';
  let askLate: (() => Promise<unknown>) | undefined;
  invoked = (functionName, _event, invoke) => {
    if (functionName.endsWith('choose-offer')) askLate = invoke;
    return invoke();
  };
  const { order, offers } = await untilOffers(orderRef);
  await decide(orderRef, [{ offerId: offers[0]?.offerId, code: offers[0]?.codes[0] }]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  closeNext(order);
  await world.untilEnd(orderRef);
  await askLate?.();
  await world.aws.settle();
  expect(await world.record(orderRef)).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  expect(await world.stagedJson(orderRef, 'status.json')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
});
