import { afterEach, expect, test, vi } from 'vitest';
import { commandsIn, inItsTime } from '../../helpers/commands-in.ts';
import { accepting, answer, inject, reading } from '../../helpers/faults.ts';
import { MAIN_PATH, NO_OFFERS, NO_SIGNATURES, OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';

const POLL_SECONDS = 30;
const usual = { ...MAIN_PATH, ...NO_OFFERS, pollAfterSeconds: POLL_SECONDS, bankSeconds: 1, slowProcessingSeconds: 60 };

const world = await openWorld({ settings: usual });

afterEach(() => {
  expect(world.simulator.calls().filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
});

test('a Retry-After that the service sends to a call of an aborted execution is respected by the next execution', async () => {
  Object.assign(world.simulator.settings, NO_SIGNATURES);
  inject(world.simulator, 'before', accepting, async (call, request, reply) => {
    // The next execution claims the order before a call of the aborted one is answered.
    await world.stop('left-alone');
    await world.startExecution('left-alone', 2);
    await vi.waitFor(async () => expect(await world.record('left-alone')).toMatchObject({ generation: 2 }), 30_000);
    await answer(429, undefined, { 'retry-after': '600' })(call, request, reply);
  });
  expect(await world.submitToEnd('left-alone')).toMatchObject({ status: 'CLOSED', generation: 2 });
  const [first, second] = await world.calls('left-alone', accepting);
  expect(first).toMatchObject({ status: 429 });
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(600_000);
});

test('a pollAfterSeconds of two days is respected and shown in record, log, timeline and show, although the read brings nothing new', async () => {
  const { settings } = world.simulator;
  const before = world.aws.logs().length;
  Object.assign(settings, { ...OFFERS_AT_ONCE, slowProcessingSeconds: 400_000 });
  await world.submitUntil('two-days', ({ status }) => status === 'IN_WORK', { scenario: 'slow-processing' });
  settings.pollAfterSeconds = 172_800;
  const { notBefore } = await world.until('two-days', ({ pollAfterSeconds }) => pollAfterSeconds === 172_800);
  const nextReadAt = notBefore.readAt ?? '';
  expect(Date.parse(nextReadAt) - world.clock.now()).toBeGreaterThan(86_400_000);
  expect(await world.told('two-days', 'The order service asks for a long wait')).toMatchObject([{ nextReadAt }]);
  const logged = world.aws.logs().slice(before);
  expect(logged.some(({ line }) => line.includes('pollAfterSeconds is 172800; waiting 172800 s'))).toBe(true);
  const show = (...args: string[]) => inItsTime(world, () => commandsIn(world).done('show', 'two-days', ...args));
  expect(await show()).toMatch(/Next read +\d{4}-.*, as the order service asked/);
  expect(JSON.parse(await show('--json'))).toMatchObject({ nextReadAt });
  expect(await world.untilEnd('two-days')).toMatchObject({ status: 'CLOSED' });
  expect((await world.calls('two-days', reading)).length).toBeLessThan(20);
});
