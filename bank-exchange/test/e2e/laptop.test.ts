import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { answer, inject } from '../../../test/helpers/faults.ts';
import { groupIsGone, printed, startLaptopProcess } from '../../../test/helpers/laptop-process.ts';
import { Bank } from '../../laptop/bank.ts';
import { startExchangeLaptop } from '../../laptop/run-laptop.ts';
import { showExchange } from '../../laptop/show.ts';
import { provideExchange } from '../helpers/open-world.ts';

// The laptops find it in the cache.
await provideExchange(mkdtempSync(join(tmpdir(), 'exchange-')));
const options = ['--legacy', '--once', '--port', '0', '--simulator-port', '0'];
/** Runs beside the other tests: most of the time it waits. */
const whole = startLaptopProcess(options);
afterAll(() => void whole.process.kill());

test('Ctrl-C ends the bank exchange on the laptop cleanly, and with --once as a failure', async () => {
  const run = startLaptopProcess(options);
  await printed(run, 'the platform lists 250');
  process.kill(run.process.pid ?? 0, 'SIGINT');
  expect(await run.ended, run.output()).toBe(1);
  expect(run.output()).toContain('Stopped.');
  await expect.poll(() => groupIsGone(run)).toBe(true);
});

test('the bank exchange on the laptop fails when an answer claims more than was done', async () => {
  const laptop = await startExchangeLaptop({ awsPort: async () => 0, simulatorPort: 0, step: (_name, work) => work() });
  const { simulator, aws } = laptop;
  const isOffers = ({ route, method }: { route?: string; method: string }) => route === '/inns' && method === 'POST';
  inject(simulator, 'before', isOffers, answer(200));
  const lines: string[] = [];
  const show = showExchange({
    simulator,
    bank: new Bank(laptop.outputs, aws.clientSettings),
    startSchedules: aws.startSchedules,
    say: (_what, line) => lines.push(line),
    stopped: new AbortController().signal,
  });
  try {
    await expect(show).rejects.toThrow('Check failed: the platform accepted 0 lists of offers, not 1.');
    expect(lines).toContain('issued was sent once');
  } finally {
    await laptop.close();
  }
});

test('npm start -- --legacy --once shows the bank exchange, exits with 0 and leaves nothing behind', async () => {
  expect(await whole.ended, whole.output()).toBe(0);
  const output = whole.output();
  expect(output).toMatch(/all 260 are staged once, including 10 late ones/);
  expect(output).toContain('status             issued was sent once');
  expect(output).toContain('$.newStatus: "created" was renamed to "inProgress" in version 1.2.');
  expect(output).toContain('3 are staged for scoring as JSON and CSV, 2 invalid ones are left out');
  expect(output).toContain('3 offers for them were returned once');
  expect(output).toContain('All bank exchange checks passed.');
  await expect.poll(() => groupIsGone(whole)).toBe(true);
});
