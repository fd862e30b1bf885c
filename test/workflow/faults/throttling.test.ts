import type { SimulatorSettings } from '@business-loan-orders/order-simulator';
import { describe, expect, test } from 'vitest';
import {
  accepting,
  answer,
  confirming,
  creating,
  downloading,
  inject,
  type Matches,
  reading,
  signing,
  uploading,
} from '../../helpers/faults.ts';
import { NO_SIGNATURES, OFFERS_AT_ONCE, SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: { bankSeconds: 1 } });

const throttled = (retryAfter?: string) =>
  answer(429, undefined, retryAfter === undefined ? {} : { 'retry-after': retryAfter });

/** The calls after this sequence number. A refused creation names no order, so calls cannot be found by order. */
function callsSince(sequence: number, matches: Matches = () => true) {
  return world.simulator.calls().filter((call) => call.sequence > sequence && matches(call));
}

const statuses = (sequence: number, matches: Matches) => callsSince(sequence, matches).map(({ status }) => status);

/** The statuses that an order must pass to make these calls. The others would only take longer. */
const statusesFor = new Map<Matches, Partial<SimulatorSettings>>([
  [creating, OFFERS_AT_ONCE],
  [reading, OFFERS_AT_ONCE],
  [confirming, OFFERS_AT_ONCE],
  [uploading, NO_SIGNATURES],
  [downloading, SIGNATURES_AT_ONCE],
  [signing, SIGNATURES_AT_ONCE],
]);

/** The next orders take the shortest way on which they make such calls. */
const shorten = (matches: Matches) => Object.assign(world.simulator.settings, statusesFor.get(matches));

/** Drives an order to CLOSED in one execution. Returns the sequence number before its first call. */
async function close(orderRef: string): Promise<number> {
  const sequence = world.simulator.calls().length;
  await submit(world, orderRef);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(callsSince(sequence).filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
  return sequence;
}

/** The errors of the failed functions, in order. */
async function failures(orderRef: string): Promise<(string | undefined)[]> {
  return (await world.histories(orderRef)).flatMap(({ taskFailedEventDetails }) =>
    taskFailedEventDetails ? [taskFailedEventDetails.error] : [],
  );
}

const HOUR = 3_600;

test.each([
  ['create', creating, [429, 201], 2],
  ['upload', uploading, [429, 201], 2],
  ['accept', accepting, [429, 202, 202], 2],
  // The second download is the comparison before the signature is sent.
  ['download', downloading, [429, 200, 200], 1],
  ['signature', signing, [429, 201], 2],
  ['confirm', confirming, [429, 202, 202], 2],
] as const)(
  'after a Retry-After of an hour on %s, no call is made before its time, and the step is then repeated without a failure',
  async (name, matches, expected, attempts) => {
    shorten(matches);
    inject(world.simulator, 'before', matches, throttled(`${HOUR}`));
    const lines = world.aws.logs().length;
    const sequence = await close(`long-${name}`);
    expect(statuses(sequence, matches)).toEqual(expected);
    const [first] = callsSince(sequence, matches);
    const [next] = callsSince(first?.sequence ?? 0, ({ route }) => route !== '/oauth2/token');
    const waited = (next?.at ?? 0) - (first?.at ?? 0);
    expect(waited).toBeGreaterThanOrEqual(HOUR * 1000);
    expect(waited).toBeLessThan((HOUR + 60) * 1000);
    expect(await failures(`long-${name}`)).toEqual([]);
    const logged = world.aws
      .logs()
      .slice(lines)
      .map(({ line }) => line)
      .find((line) => line.includes('A service asked'));
    expect(JSON.parse(logged ?? '')).toMatchObject({ operation: expect.any(String), httpStatus: 429 });
    // A step that runs before that time does not begin another attempt.
    const begun = (await world.items(`long-${name}`)).flatMap((item) =>
      item.item.startsWith('operation#') ? Number(item.attempts) : [],
    );
    expect(Math.max(...begun)).toBe(attempts);
    expect((await world.record(`long-${name}`))?.notBefore.throttled).toBeUndefined();
  },
);

test('a Retry-After on one of two uploads lets the other one finish, and neither is sent twice', async () => {
  inject(world.simulator, 'before', uploading, throttled(`${HOUR}`));
  shorten(uploading);
  const sequence = world.simulator.calls().length;
  await submit(world, 'two-uploads', { documents: ['charter.pdf', 'report.pdf'] });
  expect(await world.untilEnd('two-uploads')).toMatchObject({
    status: 'CLOSED',
    generation: 1,
    rounds: { documents: { number: 1 } },
  });
  expect(statuses(sequence, uploading).sort()).toEqual([201, 201, 429]);
  expect(callsSince(sequence, accepting).at(0)?.sequence).toBeGreaterThan(
    callsSince(sequence, uploading).at(-1)?.sequence ?? 0,
  );
});

describe('when the service keeps asking us to wait', () => {
  test.each([
    ['create', creating],
    ['upload', uploading],
  ] as const)(
    'a step (%s) that was turned away for longer than outagePatienceHours fails as Throttled, and a retry continues it',
    async (name, matches) => {
      const orderRef = `patience-${name}`;
      const begun = world.clock.now();
      shorten(matches);
      inject(world.simulator, 'before', matches, throttled(`${10 * HOUR}`), 8);
      const sequence = world.simulator.calls().length;
      await submit(world, orderRef);
      expect(await world.untilEnd(orderRef)).toMatchObject({
        generation: 1,
        failure: { error: 'Throttled', cause: expect.stringContaining('outagePatienceHours') },
      });
      const hours = (world.clock.now() - begun) / (HOUR * 1000);
      expect(hours).toBeGreaterThanOrEqual(70);
      expect(hours).toBeLessThan(74);
      expect(statuses(sequence, matches)).toEqual(Array(8).fill(429));
      await world.startNext(orderRef);
      expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 2 });
      expect(statuses(sequence, matches)).toEqual([...Array(8).fill(429), 201]);
    },
  );

  test('each call that is answered starts the patience again', async () => {
    inject(world.simulator, 'before', uploading, throttled(`${50 * HOUR}`));
    const sequence = world.simulator.calls().length;
    await submit(world, 'progress');
    await world.until('progress', ({ status }) => status === 'WAITING_FOR_SIGNATURE', { signing: false });
    inject(world.simulator, 'before', signing, throttled(`${50 * HOUR}`));
    expect(await world.untilEnd('progress')).toMatchObject({ status: 'CLOSED', generation: 1 });
    expect(statuses(sequence, signing)).toEqual([429, 201]);
  });
});

test('after a read, no choice is held back by a Retry-After on a machine whose clock is behind, so none overtakes another', async () => {
  inject(world.simulator, 'before', confirming, throttled('300'));
  /** Until when the steps that confirm an offer are not allowed to call the service, as each finds it. */
  const heldUntil: (string | undefined)[] = [];
  world.wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (functionName.endsWith('confirm-offer'))
      heldUntil.push((await world.record('clock-behind'))?.notBefore.throttled?.backOffUntil);
    return invoke();
  };
  shorten(confirming);
  const sequence = await close('clock-behind');
  const [first, ...confirmed] = callsSince(sequence, confirming);
  expect([first?.status, ...confirmed.map(({ status }) => status)]).toEqual([429, 202, 202]);
  const [before, second, ...after] = heldUntil;
  expect([before, typeof second, ...after]).toEqual([undefined, 'string', undefined, undefined]);
});
