import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { PackageCheck, RejectedFacts, SubmitMessage } from '../../../console/api.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { openConsole } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { openFolder } from '../../helpers/signer-files.ts';
import { versionsOf } from '../../helpers/stored-bytes.ts';

let isDenied = false;
let isTableDenied = false;
/** Runs before the next PUT. Its answer, if it has one, comes in place of that of S3. */
let meanwhile: ((serve: () => Promise<unknown>) => Promise<{ status: number; code: string } | undefined>) | undefined;

const world = await openWorld({
  ordersGoOn: true,
  requestWrapper: async ({ service, operation, accessKeyId }, serve) => {
    const run = service === 'S3' && operation === 'PUT' ? meanwhile : undefined;
    if (run) meanwhile = undefined;
    const answer = await run?.(serve);
    if (answer) return answer;
    const isRefused = (isDenied && service === 'S3') || (isTableDenied && service === 'DynamoDB');
    return isRefused && accessKeyId === 'local' ? { status: 403, code: 'AccessDenied' } : undefined;
  },
});
const { get, post, read, ask, served, authorization } = await openConsole(world);
beforeEach(() => world.forget());
const folder = openFolder();

type Files = Record<string, string>;

const formOf = (files: Files) => {
  const form = new FormData();
  for (const [path, text] of Object.entries(files)) form.append(encodeURIComponent(path), new Blob([text]));
  return form;
};
const check = (orderRef: string, files: Files) => {
  const sizes = Object.entries(files).map(([path, text]) => ({ path, size: Buffer.byteLength(text) }));
  const { 'order.json': orderJson } = files;
  const facts = JSON.stringify({ orderRef, files: sizes });
  const form = formOf({ facts, ...(orderJson !== undefined && { 'order.json': orderJson }) });
  return ask<PackageCheck>('/api/packages/check', form);
};
const submit = (orderRef: string, files: Files) => post(`/api/packages/submit?orderRef=${orderRef}`, formOf(files));

async function submitted(orderRef: string, files: Files): Promise<SubmitMessage[]> {
  const text = await (await submit(orderRef, files)).text();
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
  const wrong = { 'order.json': JSON.stringify({ ...orderPackage(), singing: 'external' }) };
  const first = await check('dropped', wrong);
  const path = dirname(folder.write('order.json', wrong['order.json']));
  const { stdout } = await commandsIn(world).run('--json', 'lint', path, '--ref', 'dropped');
  expect(first.problems).toEqual(JSON.parse(stdout).problems);
  expect(first.problems.map(({ path }) => path)).toContain('$.singing');
  expect((await submitted('dropped', wrong)).at(-1)).toEqual({ problems: first.problems });
  const right = {
    'order.json': JSON.stringify(orderPackage()),
    'documents/charter.pdf': 'the charter',
    'notes.txt': 'not named',
    'Thumbs.db': 'of a system',
  };
  expect(await check('dropped', right)).toMatchObject({ problems: [], unnamed: ['notes.txt'] });
  const messages = await submitted('dropped', right);
  expect(messages).toContainEqual({ progress: { name: 'documents/charter.pdf', done: 0, total: expect.any(Number) } });
  expect(messages.at(-1)).toEqual({ orderRef: 'dropped', said: expect.stringMatching(/^Order dropped was accepted/) });
  expect(await world.untilEnd('dropped')).toMatchObject({ status: 'CLOSED' });
  expect(kept()).toEqual(before);
});

test.each<[name: string, path: string, error: string]>([
  ...['../x', 'documents/../../x', '/etc/x', '', 'a//b', 'a\\..\\b', 'x'.repeat(301), 'a\0b'].map(
    (path): [string, string, string] => [path.slice(0, 20), path, 'cannot be a file of a package.'],
  ),
  ['a folder', 'documents', 'documents cannot be a file of this package (EEXIST).'],
  ['inside of a file', 'notes.txt/x', 'notes.txt/x cannot be a file of this package ('],
  ['299 letters', 'я'.repeat(299), 'я cannot be a file of this package (ENAMETOOLONG).'],
])('a file cannot leave its package, or be one that no folder has: %s', async (_name, path, error) => {
  const before = kept();
  const response = await submit('x', { 'documents/charter.pdf': 'x', 'notes.txt': 'x', [path]: 'x' });
  expect([response.status, await response.text()]).toEqual([409, expect.stringContaining(error)]);
  expect(existsSync(`${tmpdir()}/x`)).toBe(false);
  expect(kept()).toEqual(before);
});

test('a package whose upload breaks off after its last file is not submitted, and nothing of it is left', async () => {
  const before = kept();
  const form = new Response(formOf({ 'order.json': JSON.stringify(orderPackage()), 'documents/charter.pdf': 'x' }));
  const body = Buffer.from(await form.arrayBuffer());
  const type = { 'content-type': `${form.headers.get('content-type')}`, 'content-length': body.length };
  const headers = { authorization, origin: new URL(served.url).origin, ...type };
  const sent = request(new URL('/api/packages/submit?orderRef=half', served.url), { method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.write(body.subarray(0, body.lastIndexOf('--')));
  await expect.poll(kept).toHaveLength(before.length + 1);
  sent.destroy();
  await expect.poll(kept).toEqual(before);
  expect(await versionsOf(world, 'half')).toEqual([]);
});

test('a taken reference and the same loan are known, however many orders have ended since', async () => {
  const orderJson = JSON.stringify(orderPackage({ order: { company: { name: 'Old' }, loan: { amount: 7_000_000 } } }));
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const ended = { waitingFor: 'nobody', openFor: 'files-to-remove', status: 'CLOSED', listedUnder: at(0).slice(0, 7) };
  const labels = { company: 'Old', amount: 7_000_000 };
  for (let number = 0; number <= 101; number += 1) {
    const [orderRef, times] = [number ? `later-${number}` : 'old', { createdAt: at(number), changedAt: at(number) }];
    await world.rewrite(orderRef, { ...ended, ...times, ...(number === 0 && { labels }), generation: 1 });
  }
  const files = { 'order.json': orderJson, 'documents/charter.pdf': 'x' };
  const long = { createdAt: at(-20 * 86_400), changedAt: at(0), labels };
  await world.rewrite('ancient', { ...ended, ...long, generation: 1 });
  await world.rewrite('old-2', { ...ended, changedAt: at(0), createdAt: at(0), generation: 1 });
  const found = { problems: [], taken: 'old', alike: ['old'] };
  await expect.poll(() => check('old', files)).toMatchObject(found);
  for (const ref of ['old', 'old-2'])
    expect(await ask(`/api/orders/${ref}/issues`)).toMatchObject({ issues: null, free: 'old-3' });
  isTableDenied = true;
  expect(await check('old', files)).toMatchObject({ status: 200, problems: [] });
  isTableDenied = false;
});

test('of two clerks who submit under one reference at once, one is refused, and nothing of the other is replaced', async () => {
  const files = { 'order.json': JSON.stringify(orderPackage()), 'documents/charter.pdf': 'of the second' };
  meanwhile = () => world.submit('raced').then(() => undefined);
  const last = (await submitted('raced', files)).at(-1);
  expect(JSON.stringify(last)).toContain('Somebody else uploaded orders/raced/documents/charter.pdf at the same time');
  expect(await versionsOf(world, 'raced')).toHaveLength(2);
  expect(await world.untilEnd('raced')).toMatchObject({ status: 'CLOSED' });
});

test('a file that arrived although its answer was lost is not taken for that of somebody else', async () => {
  const files = { 'order.json': JSON.stringify(orderPackage()), 'documents/charter.pdf': 'the charter' };
  meanwhile = async (serve) => {
    await serve();
    return { status: 500, code: 'InternalError' };
  };
  expect((await submitted('arrived', files)).at(-1)).toMatchObject({ orderRef: 'arrived' });
  expect(await world.untilEnd('arrived')).toMatchObject({ status: 'CLOSED' });
});

test('a package without order.json is refused in a sentence, and so is a check that no page asks for', async () => {
  const refused = 'The package has no order.json: it is not a package. Write one: examples/two-offers has the form.';
  expect(await check('x', { 'notes.txt': 'x' })).toMatchObject({ problems: [], refused });
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`${at}.txt`, '']));
  expect((await check('x', many)).refused).toContain('The package has 1001 files');
  expect(await ask('/api/packages/check', formOf({ facts: '{}' }))).toMatchObject({
    status: 400,
    code: 'notOfThePage',
  });
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

test('of a folder in intake the page gets its package, and neither a signature nor a decision', async () => {
  await world.put('in-intake', 'documents/a b.pdf', 'x');
  await world.put('in-intake', 'decision.json', {});
  expect(await read('/api/packages/in-intake')).toEqual(['documents/a b.pdf']);
  const status = async (name: string) =>
    (await get(`/api/packages/in-intake/file?name=${encodeURIComponent(name)}`)).status;
  expect(await status('documents/a b.pdf')).toBe(200);
  for (const name of ['decision.json', 'signatures/1.sig', 'documents/', '../in-intake/documents/a b.pdf', ''])
    expect(await status(name), name).toBe(409);
});
