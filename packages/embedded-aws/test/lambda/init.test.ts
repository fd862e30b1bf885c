import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LambdaFunction } from '../../lambda/function.ts';
import { LambdaLog } from '../../lambda/log.ts';
import { ThreadPool } from '../../lambda/thread-pool.ts';
import { Activity } from '../../time/activity.ts';
import { VirtualClock } from '../../time/clock.ts';
import { factsOf } from './function-facts.ts';

/** Its module loads for ever, the first time or every time. Each time it leaves a file. */
const source = (folder: string, always: boolean) => `
import { existsSync, writeFileSync } from 'node:fs';
const place = ${JSON.stringify(folder)} + '/load-';
const number = existsSync(place + '1') ? '2' : '1';
writeFileSync(place + number, '');
if (${always} || number === '1') await new Promise(() => setInterval(() => {}, 1000));
export const run = async () => 'ran';
`;

function start(always: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'init-'));
  const clock = new VirtualClock(0);
  const log = new LambdaLog(clock);
  const pool = new ThreadPool({ threads: 1, memoryMebibytes: 128 });
  onTestFinished(async () => {
    await pool.close();
    rmSync(folder, { recursive: true });
  });
  const facts = factsOf(source(folder, always), 3);
  const made = new LambdaFunction({
    sandbox: { facts, environment: {}, log, timeoutClock: clock },
    pool,
    concurrency: 1,
    reservedConcurrency: 1,
    activity: new Activity(),
    clock,
  });
  const loads = (number: number) => expect.poll(() => existsSync(join(folder, `load-${number}`))).toBe(true);
  const lines = () => log.lines().map(({ line }) => line.replace(/RequestId: \S+/, 'RequestId: id'));
  return { clock, lines, loads, result: made.invoke('{}') };
}

/** AWS Lambda Developer Guide, "Understanding the Lambda execution environment lifecycle". */
test('an init that takes longer than ten seconds is begun again as part of the invocation', async () => {
  const { clock, lines, loads, result } = start(false);
  await loads(1);
  clock.advanceTo(10_000);
  expect(await result).toEqual({ payload: '"ran"' });
  expect(lines()).toEqual(['INIT_REPORT Init Duration: 10000.00 ms Phase: init Status: timeout']);
});

test('an init that is begun again has the time of the function', async () => {
  const { clock, lines, loads, result } = start(true);
  await loads(1);
  clock.advanceTo(10_000);
  await loads(2);
  clock.advanceTo(12_999);
  expect(lines()).toHaveLength(1);
  clock.advanceTo(13_000);
  expect(JSON.parse((await result).payload)).toMatchObject({ errorType: 'Sandbox.Timedout' });
  expect(lines()[1]).toBe('RequestId: id Error: Task timed out after 3.00 seconds');
});
