import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from 'vitest';
import type { InvokeWrapper, RequestWrapper } from '../../../packages/embedded-aws/index.ts';
import type { SimulatedOrder } from '../../../packages/order-simulator/index.ts';
import { closeAtNextRead, decide, OFFERS_AT_ONCE, stagedChoices, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import type { World } from '../../helpers/world.ts';

/** Decisions arrive at almost the same moment as another decision, a confirm or the end of the order. */
let requested: RequestWrapper | undefined;
let invoked: InvokeWrapper | undefined;
const world: World = await openWorld({
  settings: { ...OFFERS_AT_ONCE, pollAfterSeconds: 10, bankSeconds: 60 },
  requestWrapper: async (request, serve) => requested?.(request, serve),
  invokeWrapper: (functionName, event, invoke) => (invoked ? invoked(functionName, event, invoke) : invoke()),
});

afterEach(() => {
  requested = undefined;
  invoked = undefined;
});

const confirmed = ({ confirmations }: SimulatedOrder) => confirmations.map(({ offerId, code }) => ({ offerId, code }));

/** Holds the first matching request until `until` has resolved. */
function holdFirst(matches: (request: Parameters<RequestWrapper>[0]) => boolean, until: () => Promise<void>): void {
  let isHeld = false;
  requested = async (request) => {
    if (isHeld || !matches(request)) return undefined;
    isHeld = true;
    await until();
    return undefined;
  };
}

const writesDecision =
  (orderRef: string) =>
  ({ operation, body }: Parameters<RequestWrapper>[0]) =>
    operation === 'UpdateItem' && body.includes('":decision"') && body.includes(`"${orderRef}"`);

const writesChoices =
  (orderRef: string) =>
  ({ service, operation, path }: Parameters<RequestWrapper>[0]) =>
    service === 'S3' && operation === 'PUT' && path.includes(`${orderRef}/choices.json`);

test('the newer of two decisions counts, although the function that read the older one writes last', async () => {
  const orderRef = 'older-writes-last';
  const { order, choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  const newerIsKept = Promise.withResolvers<void>();
  let writes = 0;
  requested = async (request) => {
    if (!writesDecision(orderRef)(request)) return undefined;
    writes += 1;
    // The older decision is the first to be written. Hold it until the newer one is written.
    if (writes === 1) await newerIsKept.promise;
    if (writes === 2) queueMicrotask(() => setImmediate(newerIsKept.resolve));
    return undefined;
  };
  await decide(world, orderRef, [first]);
  while (writes === 0) await new Promise(setImmediate);
  await decide(world, orderRef, [second]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(confirmed(order)).toEqual([second]);
  expect((await stagedChoices(world, orderRef)).find(({ offerId }) => offerId === second?.offerId)).toMatchObject({
    state: 'confirmed',
  });
});

test('choices.json shows the newer of two decisions, although the function that read the older one stages last', async () => {
  const orderRef = 'older-stages-last';
  const { order, choices } = await untilOffers(world, orderRef);
  const [first] = choices;
  const newerIsStaged = Promise.withResolvers<void>();
  let stagings = 0;
  requested = async (request) => {
    if (!writesChoices(orderRef)(request)) return undefined;
    stagings += 1;
    if (stagings === 1) await newerIsStaged.promise;
    else setTimeout(newerIsStaged.resolve, 50);
    return undefined;
  };
  await decide(world, orderRef, [first]);
  while (stagings === 0) await new Promise(setImmediate);
  await decide(world, orderRef, []);
  await world.aws.settle();
  expect(confirmed(order)).toEqual([]);
  expect(await stagedChoices(world, orderRef)).toEqual([{ ...first, state: 'withdrawn' }]);
});

test.each([
  ['an invalid decision follows', (orderRef: string) => world.put(orderRef, 'decision.json', '{ "choices": oops')],
  ['its file is deleted', (orderRef: string) => world.removeFromIntake(orderRef, 'decision.json')],
])('an accepted decision counts and wakes the order, although %s at once', async (name, follow) => {
  const orderRef = `taken-though-${name.length}`;
  const { order, choices } = await untilOffers(world, orderRef);
  const [choice] = choices;
  holdFirst(writesDecision(orderRef), () => follow(orderRef));
  await decide(world, orderRef, [choice]);
  await world.aws.settle();
  expect(confirmed(order)).toEqual([choice]);
  const arrivals = (await world.items(orderRef)).filter(({ what }) => what === 'A decision arrived');
  expect(arrivals).toHaveLength(1);
});

test('a new code that is decided just before the confirm is sent replaces the old code in the confirm', async () => {
  const orderRef = 'other-code';
  const { order, offers } = await untilOffers(world, orderRef);
  const [offer] = offers;
  const [code, otherCode] = offer?.codes ?? [];
  const begins = ({ operation, body }: Parameters<RequestWrapper>[0]) =>
    operation === 'PutItem' && body.includes('operation#confirm#') && body.includes(`"${orderRef}"`);
  holdFirst(begins, async () => {
    await decide(world, orderRef, [{ offerId: offer?.offerId, code: otherCode }]);
    const isKept = async () => (await world.record(orderRef))?.decision?.choices[0]?.code === otherCode;
    while (!(await isKept())) await new Promise(setImmediate);
  });
  await decide(world, orderRef, [{ offerId: offer?.offerId, code }]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(confirmed(order)).toEqual([{ offerId: offer?.offerId, code: otherCode }]);
  expect(await stagedChoices(world, orderRef)).toEqual([
    { offerId: offer?.offerId, code: otherCode, state: 'confirmed' },
  ]);
});

test('a decision that arrives while the order closes gets the answer that the choice was not confirmed', async () => {
  const orderRef = 'as-it-closes';
  const { order, choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  await decide(world, orderRef, [first]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  closeAtNextRead(world, order);
  // A read has found the order CLOSED, but the record does not say so yet.
  holdFirst(
    ({ operation, body }) => operation === 'UpdateItem' && body.includes('"CLOSED"') && body.includes(`"${orderRef}"`),
    async () => {
      await decide(world, orderRef, [first, second]);
      const isTaken = async () => (await world.record(orderRef))?.decision?.choices.length === 2;
      while (!(await isTaken())) await new Promise(setImmediate);
    },
  );
  await world.untilEnd(orderRef);
  await world.aws.settle();
  expect(await stagedChoices(world, orderRef)).toEqual([
    { ...first, state: 'confirmed' },
    { ...second, state: 'not confirmed: the order was closed' },
  ]);
});

const isWait = ({ operation, body }: Parameters<RequestWrapper>[0]) =>
  operation === 'UpdateItem' && body.includes('":waitingFor":{"S":"decision"}');

test('choose-offer does not record a wait for a decision if the order became CLOSED in the meantime', async () => {
  const orderRef = 'slow-to-wait';
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.directClientSettings));
  holdFirst(isWait, async () => {
    // This is what read-order records when it finds the order CLOSED.
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

test('a late second run of choose-offer does not ask for a decision on a CLOSED order', async () => {
  const orderRef = 'asks-late';
  let runLate: (() => Promise<unknown>) | undefined;
  invoked = (functionName, _event, invoke) => {
    if (functionName.endsWith('choose-offer')) runLate = invoke;
    return invoke();
  };
  const { order, choices } = await untilOffers(world, orderRef);
  await decide(world, orderRef, choices.slice(0, 1));
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  closeAtNextRead(world, order);
  await world.untilEnd(orderRef);
  await runLate?.();
  await world.aws.settle();
  expect(await world.record(orderRef)).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  expect(await world.stagedJson(orderRef, 'status.json')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
});
