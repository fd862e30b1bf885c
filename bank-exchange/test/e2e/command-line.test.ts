import { commandsIn } from '../../../test/helpers/commands-in.ts';
import { checkCalls } from '../../../test/helpers/contract.ts';
import { answer, inject } from '../../../test/helpers/faults.ts';
import { uploadId } from '../../core/upload.ts';
import '../helpers/contract.ts';
import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { beforeEach, expect, test } from 'vitest';
import { openExchangeWorld } from '../helpers/open-world.ts';

const world = await openExchangeWorld();
const { exchange } = world.simulator;

const { done: ofAll, refusal, run } = commandsIn(world);
const done = (...args: string[]) => ofAll('legacy', ...args);
const json = async (...args: string[]) => JSON.parse(await done(...args, '--json'));
const sending = (call: RecordedCall) => call.route === '/request/{requestId}/status';

beforeEach(() => world.forget());

test('before the first run, every legacy list says in words that it is empty', async () => {
  expect(await done('runs')).toBe('No run has started yet.\n');
  expect(await done('uploads')).toBe('No matching uploads.\n');
});

test('legacy fetch starts a run, whose calls keep to the contract, and runs prints its result', async () => {
  exchange.addRequests(1);
  const { execution } = await json('fetch', 'requests');
  expect(await world.ended(execution)).toMatchObject({ status: 'SUCCEEDED', result: { kept: 1 } });
  expect(checkCalls(world.simulator.calls())).toEqual([]);
  expect(await done('runs')).toMatch(/^WORK +FETCHED UP TO .*\nfetch-requests +2026-\d\d-\d\d \S+Z .* no\n$/);
  expect(await json('runs')).toMatchObject([{ work: 'fetch-requests', watermark: expect.stringMatching(/Z$/) }]);
});

test('legacy uploads lists what was sent, and says what to do about what was not', async () => {
  const [request] = exchange.addRequests(1);
  const key = `legacy/status/${request?.requestId}.json`;
  inject(world.simulator, 'before', sending, answer(400, { error: 'no' }));
  const send = async () => {
    world.clock.advanceTo(world.clock.now() + 1_000);
    const id = uploadId(key, await world.upload(key, { newStatus: 'inProgress' }));
    await world.answer(key, ({ upload }) => upload === id);
    return id;
  };
  const [failed, sent, newest] = [await send(), await send(), await send()];
  expect(await json('uploads', '--state', 'failed')).toMatchObject([{ upload: failed }]);
  const printed = await done('uploads');
  expect(printed).toMatch(new RegExp(`^UPLOAD +OF +FOR +STATE .*\n${newest} +status +\\S+ +sent `));
  const listed = (await json('uploads')) as { upload: string }[];
  expect(listed.map(({ upload }) => upload)).toEqual([newest, sent, failed]);
  expect(printed).toMatch(`What to do\n  ${failed}: Rejected: `);
  expect(printed).toContain('Fix the cause, then upload the file again under the same name.');
});

test('a command for a stack that does not exist says so, and legacy without a command lists its commands', async () => {
  expect(await refusal('list')).toContain('There is no stack LoanOrders-local');
  expect(await run('legacy')).toMatchObject({ code: 2 });
  expect(await done('--help')).toMatch(/runs[\s\S]*uploads[\s\S]*fetch/);
});
