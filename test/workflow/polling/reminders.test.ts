import { defaultOffers } from '@business-loan-orders/order-simulator';
import { beforeEach, expect, test } from 'vitest';
import { commandsIn, inItsTime } from '../../helpers/commands-in.ts';
import { KILLED } from '../../helpers/faults.ts';
import { choicesOf, decide } from '../../helpers/offers.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { orderAtService } from '../../helpers/signatures.ts';
import { listenToEvents } from '../../helpers/told-events.ts';
import { DAY } from '../../helpers/world.ts';

const HOUR = DAY / 24;
const ONE_DAY = { SIGNATURES_DEADLINE_DAYS: '1', DECISION_DEADLINE_DAYS: '1', OFFER_EXPIRES_AT: '/expiresAt' };

const world = await openWorld({ environment: ONE_DAY });
const told = listenToEvents(world);
beforeEach(() => told.splice(0));

/** An event may be sent again, always with the same id. */
const reminders = () => [
  ...new Map(told.flatMap((one) => (one.type === 'Deadline Near' ? [[one.detail.id, one]] : []))).values(),
];

async function untilWaits(orderRef: string, what: 'signatures' | 'decision', offers: object[] = [...defaultOffers]) {
  const way = what === 'decision' ? { ...OFFERS_AT_ONCE, offers } : { ...SIGNATURES_AT_ONCE, ...NO_OFFERS };
  Object.assign(world.simulator.settings, way);
  await world.submit(orderRef, { offers: { choose: 'manual' } });
  const { awaited, due } = await world.until(orderRef, ({ waitingFor }) => waitingFor === what, { signing: false });
  return { since: Date.parse(awaited?.since ?? ''), due };
}

test.each(['signatures', 'decision'] as const)(
  'people who are to answer within a day are reminded once of %s, a quarter of the day before',
  async (what) => {
    const orderRef = `reminded-of-${what}`;
    const { since, due } = await untilWaits(orderRef, what);
    expect(Date.parse(due ?? '')).toBe(since + DAY);
    await world.pass(since + 18 * HOUR - 5_000 - world.clock.now());
    expect(reminders()).toEqual([]);
    // The function that reminds is killed after its write, so the step is repeated.
    let kills = 0;
    world.wrappers.invokeWrapper = async (_name, _event, invoke) => {
      const result = await invoke();
      if (reminders().length === 0 || kills > 0) return result;
      kills += 1;
      return KILLED;
    };
    await world.pass(5_000 + 2 * 180_000);
    expect(kills).toBe(1);
    expect(reminders()).toMatchObject([{ detail: { orderRef, what, due } }]);
    expect(await world.record(orderRef)).toMatchObject({ waitingFor: what, due });
    expect(await world.untilEnd(orderRef, { signing: false })).toMatchObject({
      failure: { error: what === 'decision' ? 'DecisionOverdue' : 'SignaturesOverdue' },
    });
    expect(reminders()).toHaveLength(1);
    expect(await world.record(orderRef)).not.toHaveProperty('due');
  },
);

test('a decision is due when an offer expires, and the reminder comes before the next regular look', async () => {
  const expiresAt = new Date(world.clock.now() + 4 * HOUR).toISOString();
  const [first, ...others] = defaultOffers;
  const { since, due } = await untilWaits('expires', 'decision', [{ ...first, expiresAt }, ...others]);
  expect(due).toBe(expiresAt);
  await world.pass(since + 3 * HOUR - 10_000 - world.clock.now());
  expect(reminders()).toEqual([]);
  await world.pass(10_000 + 180_000);
  expect(reminders()).toMatchObject([{ detail: { orderRef: 'expires', what: 'decision', due: expiresAt } }]);
  await decide(world, 'expires', choicesOf(await orderAtService(world, 'expires')).slice(0, 1));
  expect(await world.untilEnd('expires')).toMatchObject({ status: 'CLOSED', labels: { bank: 'First Bank' } });
  expect(await world.record('expires')).not.toHaveProperty('due');
  expect(reminders()).toHaveLength(1);
});

test('nobody is reminded of an order that was dismissed', async () => {
  await untilWaits('dismissed', 'decision');
  await world.abort('dismissed');
  await inItsTime(world, () => commandsIn(world).done('dismiss', 'dismissed', '--reason', 'No loan is needed'));
  await world.pass(DAY);
  expect(reminders()).toEqual([]);
});
