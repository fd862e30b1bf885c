import { beforeEach, expect, test, vi } from 'vitest';
import { confirming, inject } from '../../helpers/faults.ts';
import {
  choiceStates,
  closeAtNextRead,
  OFFERS_AT_ONCE,
  type StagedChoice,
  stagedChoices,
  untilOffers,
} from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';

/**
 * The service confirms an offer, but its answer is 429. Before the second attempt, the partner changes the decision.
 */
let confirms = 0;
let beforeSecondConfirm: (() => Promise<void>) | undefined;
const world = await openWorld({
  settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 },
  invokeWrapper: async (functionName, _event, invoke) => {
    if (functionName.endsWith('confirm-offer') && ++confirms === 2) await beforeSecondConfirm?.();
    return invoke();
  },
});

beforeEach(() => {
  confirms = 0;
});

/** Uploads a decision, and waits until the staged choices pass `check`. */
async function decide(orderRef: string, choices: unknown[], check: (staged: StagedChoice[]) => void): Promise<void> {
  await world.put(orderRef, 'decision.json', { choices });
  await vi.waitFor(async () => check(await stagedChoices(world, orderRef)), 10_000);
}

/** Answers the next confirm with 429, although the service has done it. */
function misreportNextConfirm(): void {
  inject(world.simulator, 'after', confirming, async (_call, _request, reply) => {
    reply.code(429);
  });
}

test.each([
  ['approved', false],
  ['closed', true],
])('a choice that is withdrawn too late is shown as confirmed once the order is %s', async (name, isClosed) => {
  const orderRef = `withdrawn-${name}`;
  const { order, choices } = await untilOffers(world, orderRef);
  misreportNextConfirm();
  const [first, second] = choices;
  beforeSecondConfirm = async () => {
    await decide(orderRef, isClosed ? [] : [second], (staged) => expect(staged[0]?.state).toBe('withdrawn'));
    if (isClosed) closeAtNextRead(world, order);
  };
  await world.put(orderRef, 'decision.json', { choices: [first] });
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await choiceStates(world, orderRef)).toEqual(isClosed ? ['confirmed'] : ['confirmed', 'confirmed']);
  expect(order.confirmations).toHaveLength(isClosed ? 1 : 2);
});

test('when a code is changed too late, the record keeps the code that the service confirmed', async () => {
  const { order, offers } = await untilOffers(world, 'changed');
  misreportNextConfirm();
  const [{ offerId, codes } = { offerId: '', codes: [] }] = offers;
  const [before, after] = codes;
  beforeSecondConfirm = () =>
    decide('changed', [{ offerId, code: after }], (staged) => expect(staged[0]?.code).toBe(after));
  await world.put('changed', 'decision.json', { choices: [{ offerId, code: before }] });
  expect(await world.untilEnd('changed')).toMatchObject({ status: 'CLOSED' });
  expect(before).not.toBe(after);
  expect(order.confirmations).toMatchObject([{ offerId, code: before }]);
  expect(await stagedChoices(world, 'changed')).toEqual([{ offerId, code: before, state: 'confirmed' }]);
  const items = await world.items('changed');
  expect(items.find(({ item }) => item === `operation#confirm#${offerId}`)).toMatchObject({
    outcome: { code: before },
  });
  expect(items.find(({ what }) => what === 'Found an offer confirmed')).toMatchObject({ code: before });
});
