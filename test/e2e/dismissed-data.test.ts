import { expect, test } from 'vitest';
import type { OrderItem } from '../../core/order/order-item.ts';
import { commandsIn } from '../helpers/commands-in.ts';
import { openWorld, runSweep, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { beforeFirst } from '../helpers/requests.ts';
import { submitAndAbort } from '../helpers/signatures.ts';
import { versionsOf } from '../helpers/stored-bytes.ts';
import { DAY } from '../helpers/world.ts';

const REASON = ['--reason', 'The customer chose another bank'];

const world = await openWorld({ settings: SIGNATURES_AT_ONCE });
const { done, refusal } = commandsIn(world);

const files = async (orderRef: string) => [...new Set((await versionsOf(world, orderRef)).map(({ file }) => file))];

test('erase removes the data of a dismissed order once it is not on hold, and then it cannot be brought back', async () => {
  const orderId = await submitAndAbort(world, 'erased');
  expect(await refusal('erase', 'erased', '--confirm', 'erased')).toContain('Only an order that is over can be erased');
  await done('hold', 'erased');
  await done('dismiss', 'erased', ...REASON);
  expect(await refusal('erase', 'erased', '--confirm', 'erased')).toContain('Order erased is on hold');
  await done('hold', 'erased', '--release');
  expect(await world.record('erased')).toMatchObject({ openFor: 'files-to-remove' });
  await done('erase', 'erased', '--confirm', 'erased');
  expect(await files('erased')).toEqual(['erased.json']);
  const record = await world.record('erased');
  expect(record).toMatchObject({ orderId, waitingFor: 'nobody', dismissed: { by: 'local' }, removal: {} });
  expect(JSON.stringify(await world.items('erased'))).not.toContain('another bank');
  expect(await refusal('retry', 'erased')).toContain('The files of order erased were removed: nothing was started.');
  await done('dismiss', 'erased', ...REASON);
  expect(await files('erased')).toEqual(['erased.json']);
});

test('an order that is brought back while it is being erased keeps its files', async () => {
  await submitAndAbort(world, 'brought-back');
  await done('dismiss', 'brought-back', ...REASON);
  const before = await versionsOf(world, 'brought-back');
  beforeFirst(
    world,
    ({ service, operation, path }) => service === 'S3' && operation === 'GET' && path.includes('versions'),
    () => done('retry', 'brought-back'),
  );
  expect(await refusal('erase', 'brought-back', '--confirm', 'brought-back')).toContain(
    'Order brought-back was brought back while this command was at work: nothing more of it was erased.',
  );
  expect(await versionsOf(world, 'brought-back')).toEqual(expect.arrayContaining(before));
  const isAskedAgain = ({ generation, waitingFor }: OrderItem) => generation === 2 && waitingFor === 'signatures';
  await world.until('brought-back', isAskedAgain, { signing: false });
});

test('the sweep leaves a dismissed order alone, and removes its files when the days of the stage have passed', async () => {
  await submitAndAbort(world, 'swept');
  await done('dismiss', 'swept', ...REASON);
  const from = Math.max(world.clock.now(), Date.parse((await world.record('swept'))?.changedAt ?? ''));
  world.clock.advanceTo(from + DAY);
  // It publishes status.json, which a person has no right to write.
  await runSweep(world);
  const before = await versionsOf(world, 'swept');
  world.clock.advanceTo(from + 88 * DAY);
  await runSweep(world);
  expect(await world.executions('swept')).toHaveLength(1);
  expect(await versionsOf(world, 'swept')).toEqual(before);
  world.clock.advanceTo(world.clock.now() + 2 * DAY);
  await runSweep(world);
  expect(await files('swept')).toEqual(['erased.json']);
});
