import { expect, test } from 'vitest';
import { commandsIn } from '../../helpers/commands-in.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { versionsOf } from '../../helpers/stored-bytes.ts';
import { DAY } from '../../helpers/world.ts';

/** The deliveries of all events. */
const deliveries: (() => void)[] = [];
const world = await openWorld({
  deliveryWrapper: (_event, deliver) => {
    deliveries.push(deliver);
    deliver();
  },
});
const { done } = commandsIn(world);

/** Everything of the order in the table and in both buckets. */
const everything = async (orderRef: string) => ({
  items: await world.items(orderRef),
  versions: await versionsOf(world, orderRef),
});

/** Tells all events again, hours later. */
async function tellAgain(): Promise<void> {
  world.clock.advanceTo(world.clock.now() + DAY / 4);
  for (const deliver of deliveries.splice(0)) deliver();
  await world.aws.settle();
}

/** Ways in which an order is over. */
const ENDS: Record<string, (orderRef: string) => Promise<unknown>> = {
  CLOSED: async (orderRef) => {
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  },
  VALIDATION_FAILED: async (orderRef) => {
    await submit(world, orderRef, { scenario: 'validation-fails-after-documents' });
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'VALIDATION_FAILED' });
  },
  dismissed: async (orderRef) => {
    await submit(world, orderRef);
    await world.until(orderRef, ({ status }) => status === 'IN_WORK');
    await done('abort', orderRef);
    await world.until(orderRef, ({ waitingFor }) => waitingFor === 'operator');
    await done('dismiss', orderRef, '--reason', 'The customer chose another bank');
  },
};

test.each(Object.keys(ENDS))(
  'what is told again of an order that is %s changes nothing, nor after it was erased',
  async (end) => {
    const orderRef = `again-${end.toLowerCase().replace('_', '-')}`;
    await ENDS[end]?.(orderRef);
    await world.aws.settle();
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
