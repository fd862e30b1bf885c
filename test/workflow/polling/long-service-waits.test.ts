import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { commandsIn, inItsTime } from '../../helpers/commands-in.ts';
import { accepting, answer, creating, inject, type Matches, reading } from '../../helpers/faults.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { NO_SIGNATURES, OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';

const HOUR = 3_600_000;
const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, pollAfterSeconds: 30, slowProcessingSeconds: 20_000 } });
const { simulator } = world;
const askingForToken: Matches = ({ route }) => route === '/oauth2/token';
const after = (seconds: string | number) => answer(429, undefined, { 'retry-after': String(seconds) });

const command = (...args: string[]) => inItsTime(world, () => commandsIn(world).run(...args));
const callsSince = (sequence: number, matches: Matches) =>
  simulator.calls().filter((call: RecordedCall) => call.sequence > sequence && matches(call));

async function polled(orderRef: string): Promise<number> {
  await world.submitUntil(orderRef, ({ status }) => status === 'IN_WORK', { scenario: 'slow-processing' });
  return simulator.calls().at(-1)?.sequence ?? 0;
}

/** The longest time that any Wait state of the order slept, in seconds. */
async function longestSleep(orderRef: string): Promise<number> {
  const begun = new Map<number, number>();
  const sleeps: number[] = [];
  for (const { type, id = 0, previousEventId = 0, timestamp } of await world.histories(orderRef)) {
    const at = timestamp?.getTime() ?? 0;
    if (type === 'WaitStateEntered') begun.set(id, at);
    if (type === 'WaitStateExited') sleeps.push((at - (begun.get(previousEventId) ?? at)) / 1_000);
  }
  return Math.max(...sleeps);
}

test('a long Retry-After of the token endpoint is in no order, and all go on within the hour after an operator ends it', async () => {
  const before = await polled('sleeper');
  inject(simulator, 'before', askingForToken, after(60_000));
  simulator.revokeAllTokens();
  await world.pass(3 * HOUR);
  expect(callsSince(before, askingForToken)).toHaveLength(1);
  expect((await world.record('sleeper'))?.notBefore).not.toHaveProperty('throttled');
  expect((await command('doctor')).stdout).toMatch(/^!! +waits +Because of token: all orders, until/m);
  const ended = await command('retry', 'sleeper', '--now');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^Ended waits: token\.\nExecution sleeper-1 is running, and looks again within an hour/);
  await world.pass(HOUR + 60_000);
  expect(callsSince(before, reading).filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect(await longestSleep('sleeper')).toBeLessThanOrEqual(3_600);
  expect(await world.untilEnd('sleeper')).toMatchObject({ status: 'CLOSED', generation: 1 });
});

test('a creation without a token waits until the time that the token endpoint named, and no longer', async () => {
  await world.forget();
  inject(simulator, 'before', askingForToken, after(10_000));
  const begun = world.clock.now();
  await world.submitUntil('no-token', ({ orderId }) => orderId !== undefined);
  expect(world.clock.now() - begun).toBeGreaterThanOrEqual(10_000_000);
  expect(world.clock.now() - begun).toBeLessThan(10_000_000 + HOUR);
  expect(simulator.calls().filter(creating)).toHaveLength(1);
});

test.each([
  ['an epoch in Retry-After', () => after(Math.round(world.clock.now() / 1_000))],
  [
    'a date of a clock that is a day ahead',
    () => {
      const theirs = (seconds: number) => new Date(world.clock.now() + 24 * HOUR + seconds * 1_000).toUTCString();
      return answer(429, undefined, { date: theirs(0), 'retry-after': theirs(60) });
    },
  ],
])('%s puts no order to sleep', async (what, fault) => {
  const orderRef = what.replaceAll(' ', '-').replaceAll(/[^a-z-]/gi, '');
  const before = await polled(orderRef);
  inject(simulator, 'before', askingForToken, fault());
  simulator.revokeAllTokens();
  await world.pass(HOUR);
  expect(callsSince(before, reading).some(({ status }) => status === 200)).toBe(true);
});

test.each([
  ['read', reading, OFFERS_AT_ONCE],
  ['accept', accepting, NO_SIGNATURES],
])('the long Retry-After of a refused %s ends when an operator says so', async (what, matches, outcomes) => {
  Object.assign(simulator.settings, outcomes);
  inject(simulator, 'before', matches, after(60_000));
  const orderRef = `refused-${what}`;
  await world.submit(orderRef);
  const isHeld = async () => (await world.calls(orderRef, matches)).some(({ status }) => status === 429);
  await world.until(orderRef, isHeld);
  await world.pass(2 * HOUR);
  const calls = await world.calls(orderRef);
  expect((await command('show', orderRef)).stdout).toMatch(/^ *Next read +.* \(Retry-After\)$/m);
  expect((await command('doctor')).stdout).toMatch(/^!! +waits +Because of Retry-After: /m);
  expect((await command('retry', orderRef, '--now')).stdout).toMatch(/^Ended waits: Retry-After\./);
  await world.pass(2 * HOUR);
  expect((await world.calls(orderRef)).length).toBeGreaterThan(calls.length);
  expect((await world.calls(orderRef, matches)).filter(({ status }) => status !== 429).length).toBeGreaterThan(0);
  expect(await longestSleep(orderRef)).toBeLessThanOrEqual(3_600);
});

test('a pollAfterSeconds that never ends raises an alarm, and ends only if a person confirms it after the rule was quoted', async () => {
  await polled('forever');
  const metrics = watchMetrics(world);
  const { settings } = simulator;
  settings.pollAfterSeconds = 1e9;
  await world.until('forever', ({ pollAfterSeconds }) => pollAfterSeconds === 99_999_999);
  settings.pollAfterSeconds = 30;
  expect(metrics.values('LongWaits')).toEqual([1]);
  const reads = await world.calls('forever', reading);
  await world.pass(300 * HOUR);
  // No read comes early, also after the execution has handed over.
  expect(await world.calls('forever', reading)).toHaveLength(reads.length);
  expect((await world.record('forever'))?.generation).toBe(2);
  expect((await command('doctor')).stdout).toMatch(/^!! +waits +Because of pollAfterSeconds: forever, until/m);
  const refused = await command('retry', 'forever', '--now');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('the partner waits `pollAfterSeconds` as returned by the last read');
  expect(await world.calls('forever', reading)).toHaveLength(reads.length);
  expect((await command('retry', 'forever', '--now', '--yes')).stdout).toMatch(/^Ended waits: pollAfterSeconds\./);
  expect(await world.untilEnd('forever', { limit: 24 * HOUR })).toMatchObject({ status: 'CLOSED' });
});
