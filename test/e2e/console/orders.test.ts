import { expect, test } from 'vitest';
import type { OrdersMessage, StageFacts } from '../../../console/api.ts';
import { liveMessages, next, openConsole } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { submitToSign } from '../../helpers/signatures.ts';

const world = await openWorld({ ordersGoOn: true });
const { get, read } = await openConsole(world);

test('a page gets all orders first, and then only what changed', async () => {
  await submit(world, 'over');
  await world.untilEnd('over');
  await submitToSign(world, 'goes-on', { offers: { choose: 'manual' } });
  const live = liveMessages<OrdersMessage>(await get('/api/orders/live'));
  const first = await next(live, () => true);
  const listed = 'all' in first ? first.all : [];
  expect(listed.map(({ orderRef, status, waitingFor }) => [orderRef, status, waitingFor]).sort()).toEqual([
    ['goes-on', 'WAITING_FOR_SIGNATURE', 'signatures'],
    ['over', 'CLOSED', 'nobody'],
  ]);
  expect(listed.find(({ orderRef }) => orderRef === 'goes-on')?.oldFrom).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(listed.find(({ orderRef }) => orderRef === 'over')?.oldFrom).toBeUndefined();
  await world.until('goes-on', ({ waitingFor }) => waitingFor === 'decision');
  await next(live, (message) => {
    const changed = 'changed' in message ? message.changed : [];
    expect(changed.map(({ orderRef }) => orderRef)).toEqual(['goes-on']);
    return changed.some(({ waitingFor }) => waitingFor === 'decision');
  });
  await live.return();
});

test('the page is told which stage it shows', async () => {
  const where = `the laptop's AWS at ${world.aws.endpoint}`;
  expect(await read<StageFacts>('/api/stage')).toEqual({ stage: 'local', local: true, where });
});
