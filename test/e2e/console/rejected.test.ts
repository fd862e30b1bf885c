import { beforeEach, expect, test } from 'vitest';
import type { FactsMessage, RejectedFacts } from '../../../console/api.ts';
import { liveMessages, next, openConsole } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';

let isDenied = false;

const world = await openWorld({
  ordersGoOn: true,
  requestWrapper: async ({ service, accessKeyId }) =>
    isDenied && service === 'S3' && accessKeyId === 'local' ? { status: 403, code: 'AccessDenied' } : undefined,
});
const { get } = await openConsole(world);
beforeEach(() => world.forget());

type Message = FactsMessage<RejectedFacts>;

const follow = async () => liveMessages<Message>(await get('/api/rejected/live'));
const rowsOf = (message: Message) => ('facts' in message ? message.facts.rejected : []);
const withRows = (count: number) => (message: Message) => 'facts' in message && rowsOf(message).length === count;

test('the page gets what list --rejected lists, and what is rejected later, without asking again', async () => {
  const live = await follow();
  expect(await next(live, withRows(0))).toMatchObject({ facts: { rejected: [], older: 0 } });
  await world.putAndSettle('refused', 'order.json', { ...orderPackage(), order: {} });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  const noFile = { code: 'noFile', params: { file: 'documents/charter.pdf' } };
  const problems = [{ path: '$.order', code: 'noOrderData' }, noFile];
  expect(rowsOf(await next(live, withRows(1)))).toMatchObject([
    { kind: 'package', key: 'orders/refused/order.json', orderRef: 'refused', since: time, lastAt: time, problems },
  ]);
  await world.submit('refused');
  await next(live, withRows(0));
  await live.return();
});

test('a key of anybody and a quoted package show their unseen characters, and name an order only in its folder', async () => {
  await world.uploadAndSettle('scans/\u202E\u0007договор.pdf');
  await world.uploadAndSettle('orders/\u202Ex/order.json');
  await world.uploadAndSettle('scans/\u3164.pdf');
  await world.putAndSettle('quoted', 'order.json', { ...orderPackage(), '\u202Edesopx': 1 });
  const live = await follow();
  const rows = rowsOf(await next(live, withRows(4)));
  expect(rows.map(({ key, orderRef }) => [key, orderRef]).sort()).toEqual([
    ['orders/%E2%80%AEx/order.json', undefined],
    ['orders/quoted/order.json', 'quoted'],
    ['scans/%E2%80%AE%07договор.pdf', undefined],
    ['scans/%E3%85%A4.pdf', undefined],
  ]);
  const quoted = JSON.stringify(rows.find(({ orderRef }) => orderRef === 'quoted'));
  expect(quoted).toContain('%E2%80%AEdesopx');
  expect(quoted).not.toContain('\u202E');
  await live.return();
});

test('a list that cannot be read is said in one sentence, and is shown again when it can', async () => {
  await world.uploadAndSettle('scans/a.pdf');
  isDenied = true;
  const live = await follow();
  expect(await next(live, () => true)).toMatchObject({
    failed: { error: expect.stringMatching(/denied access.+\.$/), code: 'accessDenied' },
  });
  isDenied = false;
  await next(live, withRows(1));
  await live.return();
});
