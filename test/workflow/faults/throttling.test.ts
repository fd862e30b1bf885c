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
  uploading,
} from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: { documentsToSign: 1 } });

const throttled = (retryAfter?: string) =>
  answer(429, undefined, retryAfter === undefined ? {} : { 'retry-after': retryAfter });

/** The calls after this sequence number. A refused creation names no order, so calls cannot be found by order. */
function callsSince(sequence: number, matches: Matches = () => true) {
  return world.simulator.calls().filter((call) => call.sequence > sequence && matches(call));
}

const statuses = (sequence: number, matches: Matches) => callsSince(sequence, matches).map(({ status }) => status);

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
  const [execution] = await world.executions(orderRef);
  const events = await world.history(execution?.executionArn);
  return events.flatMap(({ taskFailedEventDetails }) => (taskFailedEventDetails ? [taskFailedEventDetails.error] : []));
}

test('a read that is answered 429 with Retry-After is repeated after that time', async () => {
  inject(world.simulator, 'before', reading, throttled('90'));
  const sequence = await close('read');
  const [first, second] = callsSince(sequence, reading);
  expect(first?.status).toBe(429);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(90_000);
  expect(await failures('read')).toEqual([]);
});

test('a read that is answered 503 with Retry-After is repeated after that time', async () => {
  inject(world.simulator, 'before', reading, answer(503, undefined, { 'retry-after': '90' }));
  const [first, second] = callsSince(await close('read-unavailable'), reading);
  expect(first?.status).toBe(503);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(90_000);
  expect(await failures('read-unavailable')).toEqual([]);
});

test.each(['0', 'Thu, 01 Jan 2015 00:00:00 GMT'])(
  'a Retry-After of %s does not make the next read earlier than pollAfterSeconds',
  async (retryAfter) => {
    const orderRef = `read-soon-${retryAfter.length}`;
    let reads = 0;
    const second: Matches = (call) => reading(call) && ++reads === 2;
    inject(world.simulator, 'before', second, throttled(retryAfter));
    const [, refused, next] = callsSince(await close(orderRef), reading);
    expect(refused?.status).toBe(429);
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(
      world.simulator.settings.pollAfterSeconds * 1000,
    );
  },
);

test('a Retry-After of eleven days is respected to the second', async () => {
  inject(world.simulator, 'before', reading, throttled('999999'));
  const [first, second] = callsSince(await close('read-later'), reading);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBe(999_999_000);
});

test('a short Retry-After is waited for inside the function, and no step fails', async () => {
  inject(world.simulator, 'before', accepting, throttled('1'));
  const sequence = await close('short');
  expect(statuses(sequence, accepting)).toEqual([429, 202, 202]);
  expect(await failures('short')).toEqual([]);
});

test.each([
  ['create', creating, [429, 201], 2],
  ['upload', uploading, [429, 201], 2],
  ['accept', accepting, [429, 202, 202], 2],
  // The second download is the comparison before the signature is sent.
  ['download', downloading, [429, 200, 200], 1],
  ['confirm', confirming, [429, 202, 202], 2],
])(
  'after a long Retry-After on %s, no call is made before its time, and the order then continues without an operator',
  async (name, matches, expected, attempts) => {
    inject(world.simulator, 'before', matches, throttled('300'));
    const sequence = await close(`long-${name}`);
    expect(statuses(sequence, matches)).toEqual(expected);
    const [first] = callsSince(sequence, matches);
    const [next] = callsSince(first?.sequence ?? 0, ({ route }) => route !== '/oauth2/token');
    expect((next?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(300_000);
    expect(new Set(await failures(`long-${name}`))).toEqual(new Set(['Throttled']));
    // A step that runs before that time does not begin another attempt.
    const begun = (await world.items(`long-${name}`)).flatMap((item) =>
      item.item.startsWith('operation#') ? Number(item.attempts) : [],
    );
    expect(Math.max(...begun)).toBe(attempts);
  },
);

test('an execution that is started during a long Retry-After respects it', async () => {
  inject(world.simulator, 'before', uploading, throttled('300'));
  const sequence = world.simulator.calls().length;
  await submit(world, 'taken-over');
  const { throttledUntil } = await world.until('taken-over', (order) => order.throttledUntil !== undefined);
  await world.abort('taken-over');
  await world.startNext('taken-over');
  expect(await world.untilEnd('taken-over')).toMatchObject({ status: 'CLOSED', generation: 2, throttledUntil });
  const [first] = callsSince(sequence, uploading);
  const [next] = callsSince(first?.sequence ?? 0);
  expect((next?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(300_000);
  expect(callsSince(sequence).filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
});

test('a call that is answered 429 without Retry-After is repeated by the state machine', async () => {
  inject(world.simulator, 'before', uploading, throttled(), 5);
  const sequence = await close('backoff');
  expect(statuses(sequence, uploading)).toEqual([429, 429, 429, 429, 429, 201]);
  expect(await failures('backoff')).toEqual(Array(5).fill('Throttled'));
  expect(await world.record('backoff')).not.toHaveProperty('throttledUntil');
});

describe('in a stage where 503 proves nothing', async () => {
  const wary = await openWorld({
    settings: { documentsToSign: 1 },
    environment: { UNAVAILABLE_PROVES_NOTHING_DONE: 'false' },
  });
  const { simulator } = wary;

  test('a creation that is answered 503 is never repeated', async () => {
    const sent = simulator.calls().filter(creating).length;
    inject(simulator, 'before', creating, answer(503));
    await submit(wary, 'wary');
    expect(await wary.untilEnd('wary')).toMatchObject({ waitingFor: 'operator', failure: { error: 'OutcomeUnknown' } });
    expect(simulator.calls().filter(creating)).toHaveLength(sent + 1);
    expect(await wary.knowledge('wary', 'create')).toMatchObject({ state: 'open' });
  });

  test.each([
    ['upload', uploading],
    ['accept', accepting],
    ['confirm', confirming],
  ])('a 503 with Retry-After on %s is respected, however short the time is', async (name, matches) => {
    for (const seconds of [1, 300]) {
      const orderRef = `wary-${name}-${seconds}`;
      inject(simulator, 'before', matches, answer(503, undefined, { 'retry-after': `${seconds}` }));
      await submit(wary, orderRef);
      expect(await wary.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
      const calls = await wary.calls(orderRef);
      const refused = calls.findIndex(({ status }) => status === 503);
      const [first, next] = calls.slice(refused);
      expect((next?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(seconds * 1000);
    }
  });
});
