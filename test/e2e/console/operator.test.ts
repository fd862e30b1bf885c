import { beforeAll, expect, test } from 'vitest';
import type { OrdersMessage, StageFacts } from '../../../console/api.ts';
import { answer, creating, inject, loseAnswer, reading, removeFaults } from '../../helpers/faults.ts';
import { done, openConsole, refused } from '../../helpers/open-console.ts';
import { openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { submitAndAbort } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: SIGNATURES_AT_ONCE, ordersGoOn: true });
const PERSON = 'AKIACONSOLE';
world.aws.addPerson(PERSON, world.outputs.OperatorPolicy ?? '');
const { read, ask } = await openConsole(world, PERSON);

const rows = async () =>
  new Map((await read<OrdersMessage>('/api/orders?after=0')).rows.map((row) => [row.orderRef, row]));
const repairs = async () => [...(await rows())].map(([orderRef, { repair }]) => [orderRef, repair]).sort();
const REASON = { reason: 'The customer chose another bank' };

beforeAll(async () => {
  await submitAndAbort(world, 'retry');
  inject(world.simulator, 'before', creating, answer(400));
  await world.submitToEnd('dismiss');
  for (const orderRef of ['resolve', 'twice']) {
    inject(world.simulator, 'after', creating, loseAnswer);
    await world.submitToEnd(orderRef);
  }
  inject(world.simulator, 'before', reading, answer(403), 99);
  await world.submitToEnd('look');
  inject(world.simulator, 'before', reading, answer(503), 999);
  await world.submitUntil('heals', ({ failure }) => failure !== undefined, {}, { signing: false });
  removeFaults(world.simulator);
  await world.submitToSign('running');
});

test('the list says how each stopped order is repaired, and when the next try of one is that heals by itself', async () => {
  expect(await repairs()).toEqual([
    ...['dismiss', 'heals', 'look', 'resolve', 'retry'].map((name) => [name, name]),
    ['running', undefined],
    ['twice', 'resolve'],
  ]);
  const all = await rows();
  expect([...all.values()].filter(({ nextTry }) => nextTry).map(({ orderRef }) => orderRef)).toEqual(['heals']);
  // The same for all orders of a group.
  expect(all.get('dismiss')?.advice?.join()).toContain('retry <orderRef>');
});

test.each([{}, { reason: '' }, { reason: ' \n\t' }, { reason: 'a'.repeat(201) }, { ...REASON, more: 1 }, null])(
  'without a reason that the timeline can keep, nothing is dismissed or paused: %j',
  async (body) => {
    for (const path of ['/api/orders/retry/dismiss', '/api/pause'])
      expect(await ask(path, body)).toMatchObject({ status: 400, code: 'notOfThePage' });
    expect(await read<StageFacts>('/api/stage')).not.toHaveProperty('pause');
  },
);

test('an order that runs or goes on by itself is not dismissed', async () => {
  expect(await ask('/api/orders/running/dismiss', REASON)).toEqual(refused('is running: stop it with'));
  expect(await ask('/api/orders/heals/dismiss', REASON)).toEqual(refused('goes on by itself at'));
  expect(await ask('/api/orders/nobody/dismiss', REASON)).toMatchObject({ status: 409, code: 'noOrderHere' });
  for (const orderRef of ['running', 'heals']) expect(await world.record(orderRef)).not.toHaveProperty('dismissed');
});

test('two operators dismiss an order at once: it is dismissed once, and the list shows it, as what is resolved', async () => {
  const both = await Promise.all([1, 2].map(() => ask<{ error?: string }>('/api/orders/dismiss/dismiss', REASON)));
  for (const { status } of both) expect([200, 409]).toContain(status);
  expect(both.some(({ status }) => status === 200)).toBe(true);
  expect(await ask('/api/orders/dismiss/dismiss', REASON)).toEqual(done('was dismissed before'));
  expect(await world.told('dismiss', 'An operator dismissed the order')).toHaveLength(1);
  expect(await ask('/api/orders/resolve/resolve', { orderId: null })).toEqual(done('was not created'));
  const shown = async (orderRef: string) => (await rows()).get(orderRef);
  await expect.poll(() => shown('dismiss')).toMatchObject({ waitingFor: 'nobody', failure: 'DismissedByOperator' });
  expect(await shown('dismiss')).not.toHaveProperty('repair');
  await expect.poll(() => shown('resolve')).toMatchObject({ repair: 'retry' });
});

test('the stage is paused once and resumed once, whoever else does the same', async () => {
  expect(await ask('/api/resume', {})).toEqual(done('is not paused. Nothing was changed.'));
  const both = await Promise.all([1, 2].map(() => ask<{ said: string }>('/api/pause', REASON)));
  expect(both.filter(({ said }) => said.includes('Nothing was changed.'))).toHaveLength(1);
  const { pause } = await read<StageFacts>('/api/stage');
  expect(pause).toEqual({ ...REASON, by: PERSON, since: expect.any(String) });
  expect(await ask('/api/pause', { reason: 'Another' })).toEqual(done(REASON.reason));
  expect(await ask('/api/resume', {})).toEqual(done('is resumed.'));
  expect(await read<StageFacts>('/api/stage')).not.toHaveProperty('pause');
});

test('a person without the rights of an operator is refused, and changes nothing', async () => {
  world.aws.addPerson(PERSON, world.outputs.SignerPolicy ?? '');
  const denied = { status: 502, code: 'accessDenied' };
  expect(await ask('/api/pause', REASON)).toMatchObject(denied);
  expect(await ask('/api/orders/retry/dismiss', REASON)).toMatchObject(denied);
  expect(await read<StageFacts>('/api/stage')).not.toHaveProperty('pause');
  expect(await world.record('retry')).not.toHaveProperty('dismissed');
});
