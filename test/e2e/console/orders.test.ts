import { expect, test } from 'vitest';
import type { OrdersMessage, StageFacts } from '../../../console/api.ts';
import { LiveMessages, openConsole } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { submitToSign } from '../../helpers/signatures.ts';

const world = await openWorld({ ordersGoOn: true });
const { get } = await openConsole(world);

const follow = async () => new LiveMessages<OrdersMessage>(await get('/api/orders/live'));

test('a page gets all orders first, and then only what changed', async () => {
  await submit(world, 'over');
  await world.untilEnd('over');
  await submitToSign(world, 'goes-on', { offers: { choose: 'manual' } });
  const live = await follow();
  const first = await live.first((message) => 'all' in message);
  const listed = 'all' in first ? first.all : [];
  expect(listed.map(({ orderRef, status, waitingFor }) => [orderRef, status, waitingFor]).sort()).toEqual([
    ['goes-on', 'WAITING_FOR_SIGNATURE', 'signatures'],
    ['over', 'CLOSED', 'nobody'],
  ]);
  expect(listed.find(({ orderRef }) => orderRef === 'goes-on')?.oldFrom).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(listed.find(({ orderRef }) => orderRef === 'over')?.oldFrom).toBeUndefined();
  await world.until('goes-on', ({ waitingFor }) => waitingFor === 'decision');
  const rowsOf = (message: OrdersMessage) =>
    'changed' in message ? message.changed : 'all' in message ? message.all : [];
  await live.first((message) => rowsOf(message).some(({ waitingFor }) => waitingFor === 'decision'));
  const later = live.all
    .slice(1)
    .flatMap((message) => ('changed' in message ? message.changed : [{ orderRef: JSON.stringify(message) }]));
  expect(new Set(later.map(({ orderRef }) => orderRef))).toEqual(new Set(['goes-on']));
  await live.close();
});

test('the page is told which stage it shows', async () => {
  const facts = (await (await get('/api/stage')).json()) as StageFacts;
  expect(facts).toEqual({ stage: 'local', local: true, where: `the laptop's AWS at ${world.aws.endpoint}` });
});
