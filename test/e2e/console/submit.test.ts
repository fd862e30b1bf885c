import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { PackageCheck, RejectedFacts, SubmitMessage } from '../../../console/api.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { openConsole } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { openFolder } from '../../helpers/signer-files.ts';

let isDenied = false;

const world = await openWorld({
  ordersGoOn: true,
  requestWrapper: async ({ service, accessKeyId }) =>
    isDenied && service === 'S3' && accessKeyId === 'local' ? { status: 403, code: 'AccessDenied' } : undefined,
});
const { post, ask } = await openConsole(world);
beforeEach(() => world.forget());
const folder = openFolder();

const begin = async () => (await ask<{ id: string }>('/api/packages', {})).id;
const check = (id: string, orderRef: string) => ask<PackageCheck>(`/api/packages/${id}/check`, { orderRef });
const put = (id: string, path: string, body: string) =>
  ask(`/api/packages/${id}/files?path=${encodeURIComponent(path)}`, body);

async function submitted(id: string, orderRef: string): Promise<SubmitMessage[]> {
  const text = await (await post(`/api/packages/${id}/submit`, { orderRef })).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as SubmitMessage)));
}

const own = new RegExp(`^loan-orders-console-.*-${process.pid}-`);
const kept = () => {
  const folders = readdirSync(tmpdir()).filter((name) => own.test(name));
  const names = folders.flatMap((name) => readdirSync(join(tmpdir(), name)));
  return names.filter((name) => name.startsWith('package-'));
};

test('a dropped package is checked in the words of lint, corrected and submitted with its progress', async () => {
  const before = kept();
  const id = await begin();
  const wrong = { ...orderPackage(), singing: 'external' };
  await put(id, 'order.json', JSON.stringify(wrong));
  const first = await check(id, 'dropped');
  const path = dirname(folder.write('order.json', JSON.stringify(wrong)));
  const { stdout } = await commandsIn(world).run('--json', 'lint', path, '--ref', 'dropped');
  expect(first.problems).toEqual(JSON.parse(stdout).problems);
  expect(first.problems.map(({ path }) => path)).toContain('$.singing');
  const refused = await submitted(id, 'dropped');
  expect(refused).toEqual([{ problems: first.problems }]);
  await put(id, 'order.json', JSON.stringify(orderPackage()));
  await put(id, 'documents/charter.pdf', 'the charter');
  await put(id, 'notes.txt', 'not named');
  expect(await check(id, 'dropped')).toMatchObject({
    problems: [],
    unnamed: ['notes.txt'],
    files: [{ path: 'documents/charter.pdf', size: 11 }, { path: 'notes.txt' }, { path: 'order.json' }],
  });
  const messages = await submitted(id, 'dropped');
  expect(messages).toContainEqual({ progress: { name: 'documents/charter.pdf', done: 0, total: expect.any(Number) } });
  expect(messages.at(-1)).toEqual({ orderRef: 'dropped', said: expect.stringMatching(/^Order dropped was accepted/) });
  expect(await world.untilEnd('dropped')).toMatchObject({ status: 'CLOSED' });
  expect(kept()).toEqual(before);
});

test('a file cannot leave its package, and a package that is gone is refused', async () => {
  const id = await begin();
  for (const path of ['../x', 'documents/../../x', '/etc/x', '', 'a//b', 'a\\..\\b', 'x'.repeat(301)])
    expect((await put(id, path, 'x')).status, path).toBe(409);
  expect(existsSync(`${tmpdir()}/x`)).toBe(false);
  expect(await check(id, 'x')).toMatchObject({
    files: [],
    refused: 'The package has no order.json: it is not a package. Write one with "loan-orders init".',
  });
  expect(await check('nothing', 'x')).toMatchObject({ status: 410, error: expect.stringContaining('no longer here') });
  for (let count = 0; count < 4; count += 1) await begin();
  expect((await put(id, 'order.json', '{}')).status).toBe(410);
});

test('nobody changes or submits a package while it is submitted', async () => {
  const id = await begin();
  await put(id, 'order.json', JSON.stringify(orderPackage()));
  await put(id, 'documents/charter.pdf', 'the charter');
  const submit = () => post(`/api/packages/${id}/submit`, { orderRef: 'twice' });
  const both = await Promise.all([submit(), submit()]);
  const [first, second] = both.sort((one, other) => one.status - other.status);
  const error = 'This package is being submitted: nothing was changed. Wait for its answer.';
  const busy = { error, code: 'packageBusy' };
  expect([first.status, second.status, await second.json()]).toEqual([200, 409, busy]);
  expect(await put(id, 'order.json', '{}')).toEqual({ status: 409, ...busy });
  expect(await first.text()).toContain('Order twice was accepted');
});

const rejected = () => ask<RejectedFacts>('/api/rejected');
const count = async () => (await rejected()).rejected.length;

test('the page gets what list --rejected lists, also what is rejected later', async () => {
  expect(await rejected()).toMatchObject({ rejected: [], older: 0 });
  await world.putAndSettle('refused', 'order.json', { ...orderPackage(), order: {} });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  const noFile = { code: 'noFile', params: { file: 'documents/charter.pdf' } };
  const problems = [{ path: '$.order', code: 'noOrderData' }, noFile];
  expect((await rejected()).rejected).toMatchObject([
    { kind: 'package', key: 'orders/refused/order.json', orderRef: 'refused', since: time, lastAt: time, problems },
  ]);
  await world.submit('refused');
  await expect.poll(count).toBe(0);
});

test('a key of anybody and a quoted package show their unseen characters, and name an order only in its folder', async () => {
  await world.uploadAndSettle('scans/\u202E\u0007договор.pdf');
  await world.uploadAndSettle('orders/\u202Ex/order.json');
  await world.uploadAndSettle('scans/\u3164.pdf');
  await world.putAndSettle('quoted', 'order.json', { ...orderPackage(), '\u202Edesopx': 1 });
  const rows = (await rejected()).rejected;
  expect(rows.map(({ key, orderRef }) => [key, orderRef]).sort()).toEqual([
    ['orders/%E2%80%AEx/order.json', undefined],
    ['orders/quoted/order.json', 'quoted'],
    ['scans/%E2%80%AE%07договор.pdf', undefined],
    ['scans/%E3%85%A4.pdf', undefined],
  ]);
  const quoted = JSON.stringify(rows.find(({ orderRef }) => orderRef === 'quoted'));
  expect(quoted).toContain('%E2%80%AEdesopx');
  expect(quoted).not.toContain('\u202E');
});

test('a list that cannot be read is said in one sentence, and is shown again when it can', async () => {
  await world.uploadAndSettle('scans/a.pdf');
  isDenied = true;
  const error = expect.stringMatching(/denied access.+\.$/);
  expect(await rejected()).toMatchObject({ status: 502, error, code: 'accessDenied' });
  isDenied = false;
  expect(await count()).toBe(1);
});
