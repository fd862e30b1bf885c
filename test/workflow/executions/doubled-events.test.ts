import { expect, test } from 'vitest';
import type { DeliveryWrapper } from '../../../packages/embedded-aws/index.ts';
import { answer, creating, inject } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

let delivered: DeliveryWrapper | undefined;
const world = await openWorld({
  deliveryWrapper: (event, deliver) => (delivered ? delivered(event, deliver) : deliver()),
});

test('an execution end that is delivered twice is recorded once, with one line in the timeline', async () => {
  delivered = (event, deliver) => {
    deliver();
    if (event.source === 'aws.states') world.clock.setTimeout(deliver, 60_000);
  };
  inject(world.simulator, 'before', creating, answer(400));
  await submit(world, 'refused');
  const { failure } = await world.untilEnd('refused');
  world.clock.advanceTo(world.clock.now() + 60_000);
  await world.aws.settle();
  const ends = (await world.items('refused')).filter(({ what }) => what === 'Execution ended');
  expect(ends).toMatchObject([{ error: 'Rejected', at: failure?.at }]);
  expect((await world.record('refused'))?.failure).toEqual(failure);
});
