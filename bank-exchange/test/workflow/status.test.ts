import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import type { StoredEntry } from '../../../core/ledger/entry.ts';
import { checkCalls } from '../../../test/helpers/contract.ts';
import { answer, inject, loseAnswer } from '../../../test/helpers/faults.ts';
import { type UploadItem, uploadId } from '../../core/upload.ts';
import { openExchangeWorld } from '../helpers/open-world.ts';
import '../helpers/contract.ts';

const world = await openExchangeWorld({
  deliveryWrapper: (_event, deliver) => {
    deliver();
    deliver();
  },
});
const { exchange } = world.simulator;

const sending = (call: RecordedCall) => call.route === '/request/{requestId}/status';
const keyOf = (name: string) => `legacy/status/${encodeURIComponent(name)}.json`;
const issued = { newStatus: 'issued', loanAmount: 1_000_000, loanTerm: 24 };
const request = () => exchange.addRequests(1)[0]?.requestId ?? '';
const received = (requestId: string) => exchange.statuses().filter((status) => status.requestId === requestId);
const calls = () => world.simulator.calls().filter(sending).length;
const send = (name: string, content: unknown) => world.send(keyOf(name), content);

test('a status is sent once although its event arrives twice, with every digit of its numbers', async () => {
  const requestId = request();
  const text = '{ "newStatus": "issued", "loanAmount": 1000000.50, "loanTermInDays": 365 }';
  expect(await send(requestId, text)).toMatchObject({ outcome: 'sent', requestId });
  expect(received(requestId)).toHaveLength(1);
  const [call] = world.simulator.calls().filter(sending).slice(-1);
  expect(call?.requestBody).toMatchObject({
    text: '{"newStatus":"issued","loanAmount":1000000.50,"loanTermInDays":365}',
  });
});

test('a status file with problems is rejected without a call, and a corrected one under the same name is sent', async () => {
  const requestId = request();
  const before = calls();
  for (const [content, paths] of [
    [{ newStatus: 'issued' }, ['$.loanAmount', '$.loanTerm']],
    [' '.repeat(70_000), ['$']],
  ]) {
    const { outcome, problems } = await send(requestId, content);
    expect([outcome, problems?.map(({ path }) => path)]).toEqual(['rejected', paths]);
  }
  expect(calls()).toBe(before);
  expect(await send(requestId, issued)).toMatchObject({ outcome: 'sent' });
  expect(received(requestId)).toMatchObject([{ body: issued }]);
});

test('a status whose outcome is unknown is sent again, and the repeat is counted', async () => {
  const requestId = request();
  inject(world.simulator, 'after', sending, loseAnswer);
  const { outcome, upload } = await send(requestId, issued);
  expect([outcome, received(requestId).length]).toEqual(['sent', 2]);
  const entry = await world.item<StoredEntry>(`upload#${upload}`, 'operation#send-status');
  expect(entry).toMatchObject({ state: 'done', attempts: 2 });
});

test('a status that is answered with a Retry-After of six hours is sent after that time, without an operator', async () => {
  const requestId = request();
  const earlier = calls();
  inject(world.simulator, 'before', sending, answer(429, undefined, { 'retry-after': `${6 * 3_600}` }));
  expect(await send(requestId, issued)).toMatchObject({ outcome: 'sent' });
  const [refused, sent, ...more] = world.simulator.calls().filter(sending).slice(earlier);
  expect([refused?.status, more]).toEqual([429, []]);
  expect((sent?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(6 * 3_600_000);
});

test('a status that the service refuses fails with advice, and the answer of the service is in staging', async () => {
  const { outcome, failure } = await send('nobody-knows', issued);
  expect([outcome, failure?.error]).toEqual(['failed', 'Rejected']);
  expect(failure?.next).toContain('upload the file again');
  expect((await world.stagedTexts('legacy/errors/')).join()).toContain('request_not_found');
});

test('a newer file replaces one that waits to be sent, and only the newer one is sent', async () => {
  const requestId = request();
  inject(world.simulator, 'before', sending, answer(503));
  const first = await world.upload(keyOf(requestId), { newStatus: 'inProgress' });
  await world.aws.settle();
  expect(await send(requestId, issued)).toMatchObject({ outcome: 'sent' });
  const upload = uploadId(keyOf(requestId), first);
  const replaced = async () => (await world.item<UploadItem>(`upload#${upload}`, 'upload'))?.state === 'replaced';
  await world.aws.runUntil(replaced, { limitMilliseconds: 3_600_000 });
  expect(received(requestId)).toMatchObject([{ body: issued }]);
  expect(await world.stagedJson(keyOf(requestId))).toMatchObject({ outcome: 'sent' });
});

test('stopping the execution answers the bank that its status failed', async () => {
  const requestId = request();
  inject(world.simulator, 'before', sending, answer(503), 1_000);
  const versionId = await world.upload(keyOf(requestId), issued);
  await world.aws.settle();
  const [execution] = (await world.executions()).filter(({ status }) => status === 'RUNNING');
  await world.stepFunctions.send(new StopExecutionCommand({ executionArn: execution?.executionArn }));
  const found = await world.answer(keyOf(requestId), (one) => one.versionId === versionId);
  expect(found).toMatchObject({ outcome: 'failed', failure: { error: 'ABORTED' } });
});

test('a file with a wrong name is rejected under its own name', async () => {
  for (const key of ['legacy/status/list.csv', 'status/7707083893.json']) {
    await world.upload(key, 'x');
    const found = await world.answer(`legacy/misnamed/${encodeURIComponent(key)}.json`);
    expect(found).toMatchObject({ outcome: 'rejected', problems: [{ path: '$' }] });
  }
});

test('all calls keep to the contract, and no execution and no log line names a request or a file', async () => {
  expect(checkCalls(world.simulator.calls())).toEqual([]);
  const names = [...exchange.statuses().map(({ requestId }) => requestId), 'nobody-knows', '7707083893', 'list.csv'];
  for (const text of await world.readable()) for (const name of names) expect(text).not.toContain(name);
});
