import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { beforeEach, expect, test } from 'vitest';
import { loanOrders } from '../../../test/helpers/command-line.ts';
import { answer, inject, loseAnswer, removeFaults } from '../../../test/helpers/faults.ts';
import { openExchangeWorld } from '../helpers/open-world.ts';

const world = await openExchangeWorld();
const { exchange } = world.simulator;

interface Uploaded {
  upload: string;
  outcome: string;
}

const run = (...args: string[]) => loanOrders(['--local', '--endpoint', world.aws.endpoint, 'legacy', ...args]);

/** Runs a command that must succeed. Returns its output. */
async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const json = async (...args: string[]) => JSON.parse(await done(...args, '--json'));

async function refusal(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

const sending = (call: RecordedCall) => call.route === '/request/{requestId}/status';
const returning = (call: RecordedCall) => call.route === '/inns' && call.method === 'POST';
const statusKey = (requestId: string) => `legacy/status/${encodeURIComponent(requestId)}.json`;

beforeEach(() => world.forget());

async function fetched(what: 'requests' | 'inns'): Promise<void> {
  const { execution } = await json('fetch', what);
  expect(await world.ended(execution)).toMatchObject({ status: 'SUCCEEDED' });
}

async function newRequest(): Promise<string> {
  const [request] = exchange.addRequests(1, world.clock.now());
  await fetched('requests');
  return request?.requestId ?? '';
}

/** Sends a status, and lets time pass until its outcome is `outcome`. Returns the upload's identifier. */
async function sent(requestId: string, outcome: string): Promise<string> {
  await done('status', requestId, '--new-status', 'inProgress');
  return (await world.answer<Uploaded>(statusKey(requestId), (one) => one.outcome === outcome)).upload;
}

test('before the first run, every legacy list says in words that it is empty', async () => {
  expect(await done('runs')).toBe('No run has started yet.\n');
  expect(await done('requests')).toBe('No requests yet.\n');
  expect(await done('batches')).toBe('No batches of tax numbers yet.\n');
  expect(await done('uploads')).toBe('No matching uploads.\n');
  expect(await refusal('show', 'any')).toMatch(/^There is no request any here: no run has fetched it\. .*legacy fetch/);
});

test('legacy fetch starts a run, and runs, requests and show print its result', async () => {
  const requestId = await newRequest();
  expect(await done('runs')).toMatch(/^WORK +FETCHED UP TO .*\nfetch-requests +2026-01-\d\d \S+Z .* no\n$/);
  expect(await json('runs')).toMatchObject([{ work: 'fetch-requests', watermark: expect.stringMatching(/Z$/) }]);
  expect(await done('requests')).toMatch(/^REQUEST +RECEIVED +BYTES +IN STAGING\n/);
  const [{ key }] = await json('requests');
  expect(await done('show', requestId)).toMatch(`Staged as  ${key}`);
  expect(await json('show', requestId)).toMatchObject({ requestId, key, statuses: [] });
});

test('legacy batches lists the batches of tax numbers', async () => {
  exchange.addTaxNumbers(['7707083893', '1']);
  await fetched('inns');
  expect(await json('batches')).toMatchObject([
    { numbers: 1, invalid: 1, key: expect.stringMatching(/inns\/.*json$/) },
  ]);
});

test('legacy status sends every digit of its numbers, and show lists the upload', async () => {
  const requestId = await newRequest();
  const loan = ['--loan-amount', '1500000.50', '--loan-term-in-days', '365'];
  expect(await done('status', requestId, '--new-status', 'issued', ...loan)).toContain(statusKey(requestId));
  await world.answer<Uploaded>(statusKey(requestId), ({ outcome }) => outcome === 'sent');
  const call = world.simulator.calls().findLast(sending);
  expect(call?.requestBody).toMatchObject({
    text: '{"newStatus":"issued","loanAmount":1500000.50,"loanTermInDays":365}',
  });
  expect(await done('show', requestId)).toMatch(/UPLOAD +OF +FOR +STATE .*\n +[0-9a-f]{32} +status +\S+ +sent /);
});

test('legacy status refuses an invalid status with all its problems, and uploads nothing', async () => {
  const uploads = (await json('uploads')).length;
  expect(await refusal('status', 'any', '--new-status', 'created')).toContain('renamed to "inProgress" in version 1.2');
  const issued = await refusal('status', 'any', '--new-status', 'issued', '--loan-amount', '-5');
  for (const path of ['$.loanAmount', '$.loanTerm']) expect(issued).toContain(path);
  await world.aws.settle();
  expect(await json('uploads')).toHaveLength(uploads);
  expect(await run('status', 'any', '--new-status', 'issued', '--loan-term', 'long')).toMatchObject({ code: 2 });
});

test('legacy retry sends a failed status once, and refuses an upload that did not fail', async () => {
  const requestId = await newRequest();
  inject(world.simulator, 'before', sending, answer(400, { error: 'no' }), 2);
  const upload = await sent(requestId, 'failed');
  expect(await done('show', requestId)).toMatch(`What to do\n  ${upload}: Rejected: `);
  expect(await json('uploads', '--state', 'failed')).toMatchObject([{ upload, failure: { error: 'Rejected' } }]);
  const again = await json('retry', upload);
  expect(again.execution).toMatch(new RegExp(`:status-${upload}-2$`));
  await world.ended(again.execution);
  removeFaults(world.simulator);
  const third = await json('retry', upload);
  expect(third.execution).toMatch(new RegExp(`:status-${upload}-3$`));
  expect(await world.ended(third.execution)).toMatchObject({ status: 'SUCCEEDED' });
  expect(exchange.statuses().filter((status) => status.requestId === requestId)).toHaveLength(1);
  expect(await refusal('retry', upload)).toMatch(/ was sent: there is nothing to retry\. Nothing was started\.\n$/);
  expect(await refusal('retry', '0'.repeat(32))).toMatch(/^There is no upload 0{32} here\./);
  expect(await run('retry', 'all')).toMatchObject({ code: 2, stderr: expect.stringContaining('It is not an upload') });
});

test('legacy retry refuses offers that the exchange may already have', async () => {
  exchange.addTaxNumbers(['7707083893']);
  await fetched('inns');
  const [{ batch }] = await json('batches');
  inject(world.simulator, 'after', returning, loseAnswer);
  await world.put(`legacy/offers/${batch}.json`, { offers: [{ inn: '7707083893' }] });
  const { upload } = await world.answer<Uploaded>(`legacy/offers/${batch}.json`, ({ outcome }) => outcome === 'failed');
  expect(await refusal('retry', upload)).toMatch(
    /^It is unknown whether the bank exchange has received the offers of upload .*\n$/,
  );
  expect(exchange.offers()).toHaveLength(1);
});

test('a command for a stack that does not exist says so, and legacy without a command lists its commands', async () => {
  const orders = await loanOrders(['--local', '--endpoint', world.aws.endpoint, 'list']);
  expect(orders).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no stack LoanOrders-local') });
  expect(await run()).toMatchObject({ code: 2 });
  expect((await run('--help')).stdout).toMatch(
    /runs[\s\S]*requests[\s\S]*batches[\s\S]*uploads[\s\S]*show[\s\S]*fetch[\s\S]*status[\s\S]*retry/,
  );
});

test('the shell completes the words of legacy', async () => {
  const { stdout } = await loanOrders(['complete', '--', 'legacy', 'fetch', '']);
  expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(['requests', 'inns', '']);
});
