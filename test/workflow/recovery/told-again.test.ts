import { expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { KILLED } from '../../helpers/faults.ts';
import { choiceStates, closeAtNextRead, decide, untilOffers } from '../../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { versionsOf } from '../../helpers/stored-bytes.ts';
import { DAY } from '../../helpers/world.ts';

const deliveries: (() => void)[] = [];
/** An order whose read is killed after it has recorded the end, so that its execution fails. */
let failing: string | undefined;
/** Whether ends of executions are recorded by nobody and told later. */
let isHeldBack = false;

const refused: string[] = [];

const world = await openWorld({
  settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 },
  invokeWrapper: async (name, _event, invoke) => {
    if (isHeldBack && name.endsWith('record-end')) return KILLED;
    const result = await invoke();
    const { orderRef, status } = JSON.parse(result.payload) ?? {};
    if (orderRef === failing && status === 'CLOSED') return KILLED;
    if (result.payload.includes('itemIdentifier')) refused.push(name);
    return result;
  },
  deliveryWrapper: (event, deliver) => {
    deliveries.push(deliver);
    if (!(isHeldBack && event.source === 'aws.states')) deliver();
  },
});
const { done } = commandsIn(world);

const everything = async (orderRef: string) => ({
  items: await world.items(orderRef),
  versions: await versionsOf(world, orderRef),
  rejected: await world.items('#rejected'),
});

async function tellAgain(): Promise<void> {
  world.clock.advanceTo(world.clock.now() + DAY / 4);
  for (const deliver of deliveries.splice(0)) deliver();
  await world.aws.settle();
  expect(refused).toEqual([]);
}

async function closeDecided(orderRef: string): Promise<void> {
  const { order, choices } = await untilOffers(world, orderRef);
  await decide(world, orderRef, choices.slice(0, 1));
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  closeAtNextRead(world, order);
  await decide(world, orderRef, choices.slice(0, 2));
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
}

const ENDS: Record<string, (orderRef: string) => Promise<unknown>> = {
  'CLOSED, and whose execution failed': async (orderRef) => {
    failing = orderRef;
    await closeDecided(orderRef);
    await world.until(orderRef, ({ failure }) => failure !== undefined);
    await world.aws.settle();
    expect(await choiceStates(world, orderRef)).toEqual(['confirmed', 'not confirmed: the order was closed']);
  },
  VALIDATION_FAILED: async (orderRef) => {
    await world.submit(orderRef, { scenario: 'validation-fails-after-documents' });
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'VALIDATION_FAILED' });
  },
  dismissed: async (orderRef) => {
    await world.submitUntil(orderRef, ({ status }) => status === 'IN_WORK');
    await done('abort', orderRef);
    await world.until(orderRef, ({ waitingFor }) => waitingFor === 'operator');
    await done('dismiss', orderRef, '--reason', 'The customer chose another bank');
  },
};

test.each(Object.keys(ENDS))(
  'what is told again of an order that is %s changes nothing, nor after it was erased',
  async (end) => {
    const orderRef = `again-${end.toLowerCase().replace(/[^a-z]+/g, '-')}`;
    await ENDS[end]?.(orderRef);
    await world.aws.settle();
    failing = undefined;
    const told = [...deliveries];
    const before = await everything(orderRef);
    await tellAgain();
    expect(await everything(orderRef)).toEqual(before);
    await done('erase', orderRef, '--confirm', orderRef);
    const erased = await everything(orderRef);
    deliveries.push(...told);
    await tellAgain();
    expect(await everything(orderRef)).toEqual(erased);
  },
);

test('an end of which nobody heard before does not date an order that is over, and changes nothing of an erased one', async () => {
  isHeldBack = true;
  failing = 'late';
  await closeDecided('late');
  await world.aws.runUntil(() => world.aws.describeRunning().length === 0);
  [isHeldBack, failing] = [false, undefined];
  const before = (await world.record('late')) as OrderItem;
  expect(before.failure).toBeUndefined();
  const told = [...deliveries];
  await tellAgain();
  // status.json shows the failure.
  const shown = { outboxCount: (before.outboxCount ?? 0) + 1, published: expect.anything() };
  expect(await world.record('late')).toEqual({ ...before, failure: expect.anything(), ...shown });
  await done('erase', 'late', '--confirm', 'late');
  const erased = await everything('late');
  deliveries.push(...told);
  await tellAgain();
  expect(await everything('late')).toEqual(erased);
});
