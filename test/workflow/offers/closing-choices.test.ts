import { afterEach, expect, test } from 'vitest';
import type { AwsRequest, InvokeWrapper, RequestWrapper } from '../../../packages/embedded-aws/index.ts';
import { choiceStates, closeAtNextRead, decide, OFFERS_AT_ONCE, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import type { World } from '../../helpers/world.ts';

/** What choices.json says of a late decision, if a function or AWS fails while the order closes. */
let requested: RequestWrapper | undefined;
let invoked: InvokeWrapper | undefined;
const world: World = await openWorld({
  settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 },
  requestWrapper: async (request, serve) => requested?.(request, serve),
  invokeWrapper: (functionName, event, invoke) => (invoked ? invoked(functionName, event, invoke) : invoke()),
});

afterEach(() => {
  requested = undefined;
  invoked = undefined;
});

/** An order with a confirmed offer, a second choice that came too late, and a bank that closes it. */
async function untilDecidedLate(orderRef: string): Promise<void> {
  const { order, choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  await decide(world, orderRef, [first]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  closeAtNextRead(world, order);
  await decide(world, orderRef, [first, second]);
  await world.aws.settle();
}

const ofReadOrder = ({ accessKeyId }: AwsRequest) => accessKeyId.endsWith('read-order');

const ANSWERED = ['confirmed', 'not confirmed: the order was closed'];

test('a read that fails after it has recorded CLOSED is run again, and answers the late choice', async () => {
  const orderRef = 'read-fails';
  let fails = 0;
  let isRecorded = false;
  requested = async (request) => {
    if (!ofReadOrder(request)) return undefined;
    if (request.operation === 'UpdateItem' && request.body.includes('"CLOSED"')) isRecorded = true;
    if (!isRecorded || request.operation !== 'GetItem' || fails === 3) return undefined;
    fails += 1;
    return { status: 500, code: 'InternalServerError' };
  };
  await untilDecidedLate(orderRef);
  await world.untilEnd(orderRef);
  await world.aws.settle();
  expect(fails).toBe(3);
  expect(await choiceStates(world, orderRef)).toEqual(ANSWERED);
});

test('an execution that fails for good after CLOSED was recorded answers the late choice', async () => {
  const orderRef = 'all-fails';
  requested = async (request) =>
    ofReadOrder(request) && request.path.includes(`${orderRef}/choices.json`)
      ? { status: 500, code: 'InternalError' }
      : undefined;
  await untilDecidedLate(orderRef);
  await world.until(orderRef, ({ failure }) => failure !== undefined);
  await world.aws.settle();
  expect(await world.record(orderRef)).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  expect(await choiceStates(world, orderRef)).toEqual(ANSWERED);
});

test('an event of a recorded decision that is delivered again after the end refuses nothing', async () => {
  const orderRef = 'delivered-again';
  let deliverAgain: (() => Promise<unknown>) | undefined;
  invoked = (functionName, _event, invoke) => {
    if (functionName.endsWith('receive')) deliverAgain = invoke;
    return invoke();
  };
  await untilDecidedLate(orderRef);
  await world.untilEnd(orderRef);
  await deliverAgain?.();
  await world.aws.settle();
  expect(await choiceStates(world, orderRef)).toEqual(ANSWERED);
  expect(await world.stagedJson(orderRef, 'decision-rejected.json')).toBeNull();
});
