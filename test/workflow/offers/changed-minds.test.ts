import { expect, test, vi } from 'vitest';
import { answer, confirming, inject } from '../../helpers/faults.ts';
import {
  choiceStates,
  closeAtNextRead,
  decide,
  OFFERS_AT_ONCE,
  type StagedChoice,
  stagedChoices,
  untilOffers,
} from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 } });

/**
 * The service confirms an offer, but its answer is 429. Before the second attempt, the partner uploads this decision, whose choices pass
 * `check` as soon as they are staged.
 */
function changeMind(
  orderRef: string,
  choices: unknown[],
  check: (staged: StagedChoice[]) => void,
  then: () => unknown = () => {},
) {
  inject(world.simulator, 'after', confirming, async (_call, _request, reply) => {
    reply.code(429);
  });
  let attempts = 0;
  world.wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (functionName.endsWith('confirm-offer') && ++attempts === 2) {
      await decide(world, orderRef, choices);
      await vi.waitFor(async () => check(await stagedChoices(world, orderRef)), 10_000);
      then();
    }
    return invoke();
  };
}

test.each([
  ['approved', false],
  ['closed', true],
])('a choice that is withdrawn too late is shown as confirmed once the order is %s', async (name, isClosed) => {
  const orderRef = `withdrawn-${name}`;
  const { order, choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  const isWithdrawn = ([staged]: StagedChoice[]) => expect(staged?.state).toBe('withdrawn');
  changeMind(orderRef, isClosed ? [] : [second], isWithdrawn, () => isClosed && closeAtNextRead(world, order));
  await decide(world, orderRef, [first]);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await choiceStates(world, orderRef)).toEqual(isClosed ? ['confirmed'] : ['confirmed', 'confirmed']);
  expect(order.confirmations).toHaveLength(isClosed ? 1 : 2);
});

test('when a code is changed too late, the record keeps the code that the service confirmed', async () => {
  const { order, offers } = await untilOffers(world, 'changed');
  const [{ offerId, codes } = { offerId: '', codes: [] }] = offers;
  const [before, after] = codes;
  changeMind('changed', [{ offerId, code: after }], ([staged]) => expect(staged?.code).toBe(after));
  await decide(world, 'changed', [{ offerId, code: before }]);
  expect(await world.untilEnd('changed')).toMatchObject({ status: 'CLOSED' });
  expect(before).not.toBe(after);
  expect(order.confirmations).toMatchObject([{ offerId, code: before }]);
  expect(await stagedChoices(world, 'changed')).toEqual([{ offerId, code: before, state: 'confirmed' }]);
  expect(await world.knowledge('changed', `confirm#${offerId}`)).toMatchObject({ outcome: { code: before } });
  expect(await world.told('changed', 'Found an offer confirmed')).toMatchObject([{ code: before }]);
});

test('no operator is needed when a new decision drops the refused choice before the next read', async () => {
  const orderRef = 'left-out-at-once';
  const { order, choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  let isCorrected = false;
  inject(world.simulator, 'before', confirming, async (call, request, reply) => {
    await answer(422)(call, request, reply);
    isCorrected = true;
  });
  await decide(world, orderRef, [first, second]);
  await world.until(orderRef, () => isCorrected);
  await decide(world, orderRef, [second]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'service', generation: 1 });
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual([second?.offerId]);
  expect(await choiceStates(world, orderRef)).toEqual(['withdrawn', 'confirmed']);
});

test('a lost confirm stays unknown when the order is CLOSED at the next read, and it is not sent again', async () => {
  // This stage expects confirmed offers to have the status TAKEN. The service says CONFIRMED.
  world.aws.useFunctionVariables({ CONFIRMED_OFFER_STATUS: 'TAKEN' });
  inject(world.simulator, 'after', confirming, async (call, request) => {
    const order = world.simulator.order(call.orderId ?? '');
    if (!order) throw new Error('The service has no such order.');
    closeAtNextRead(world, order);
    request.raw.socket.destroy();
  });
  const { choices } = await untilOffers(world, 'closed');
  await decide(world, 'closed', choices.slice(0, 1));
  expect(await world.untilEnd('closed')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  expect(await world.told('closed', 'Closed with confirms of unknown outcome: ask the bank')).toHaveLength(1);
  expect(await choiceStates(world, 'closed')).toEqual(['outcome unknown']);
  expect(await world.calls('closed', confirming)).toHaveLength(1);
});

test.each([
  ['an invalid decision follows', (orderRef: string) => world.put(orderRef, 'decision.json', '{ "choices": oops')],
  ['its file is deleted', (orderRef: string) => world.removeFromIntake(orderRef, 'decision.json')],
])('an accepted decision counts and wakes the order, although %s at once', async (name, follow) => {
  const orderRef = `taken-though-${name.length}`;
  const { order, choices } = await untilOffers(world, orderRef);
  const [choice] = choices;
  // Held is the write of the decision.
  let isHeld = false;
  world.wrappers.requestWrapper = async ({ operation, body }) => {
    if (isHeld || operation !== 'UpdateItem' || !body.includes('":decision"') || !body.includes(orderRef))
      return undefined;
    isHeld = true;
    await follow(orderRef);
    return undefined;
  };
  await decide(world, orderRef, [choice]);
  await world.aws.settle();
  expect(order.confirmations).toMatchObject([choice ?? {}]);
  expect(await world.told(orderRef, 'A decision arrived')).toHaveLength(1);
});
