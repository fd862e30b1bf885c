import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { answer, inject } from '../../../test/helpers/faults.ts';
import { groupIsGone, startLaptopProcess } from '../../../test/helpers/laptop-process.ts';
import { demonstrate, startExchangeLaptop } from '../../laptop/run-laptop.ts';
import { provideExchange } from '../helpers/open-world.ts';

// The laptops find it in the cache.
await provideExchange();
/** Runs beside the other test: most of the time it waits. */
const whole = startLaptopProcess(['--legacy', '--once', '--port', '0', '--simulator-port', '0']);
afterAll(() => void whole.process.kill());

test('the bank exchange on the laptop fails when the service refuses a file, and with --once when it is stopped', async () => {
  const laptop = await startExchangeLaptop({ awsPort: async () => 0, simulatorPort: 0, step: (_name, work) => work() });
  onTestFinished(laptop.close);
  const stopped = new AbortController();
  const { signal } = stopped;
  let output = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += text;
    return true;
  });
  onTestFinished(() => write.mockRestore());
  inject(laptop.simulator, 'before', ({ route }) => route === '/request/{requestId}/status', answer(400));
  expect(await demonstrate(laptop, { once: true, stopped: signal }), output).toBe(1);
  expect(output).toMatch(/FAILED: The outcome of legacy\/status\/.* is failed, not sent \(Rejected: .*\)\.\n$/);
  stopped.abort();
  expect(await demonstrate(laptop, { once: true, stopped: signal })).toBe(1);
  expect(output).toMatch(/Stopped\.\n$/);
});

test('npm start -- --legacy --once shows the bank exchange, exits with 0 and leaves nothing behind', async () => {
  expect(await whole.ended, whole.output()).toBe(0);
  const output = whole.output();
  expect(output).toContain('all 250 are staged');
  expect(output).toContain('status             issued was sent');
  expect(output).toContain('$.newStatus: "created" was renamed to "inProgress" in version 1.2.');
  expect(output).toContain('3 are staged for scoring, and 2 invalid ones separately');
  expect(output).toContain('3 offers for them were returned');
  expect(output).toContain('All bank exchange checks passed.');
  await expect.poll(() => groupIsGone(whole)).toBe(true);
});
