import { describe, expect, test } from 'vitest';
import { secondsToGoOn } from '../../../../commands/resume.ts';
import type { StoredEntry } from '../../../../core/ledger/entry.ts';
import { withReport } from '../../../../core/order/operators-word.ts';
import { errorClass } from '../../../../core/order/order-changes.ts';
import { heldUntil, pauseIn, type StagePause } from '../../../../core/order/stage-pause.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const since = '2026-01-01T00:00:00.000Z';
const begun = Date.parse(since);
const paused: StagePause = { since, by: 'AKIA', reason: 'Maintenance' };
const resumed = (goOnSeconds: number): StagePause => ({
  ...paused,
  resumedAt: '2026-01-02T00:00:00.000Z',
  resumedBy: 'AKIA',
  goOnSeconds,
});
const order = (number = 1) => ({ orderRef: `order-${number}`, createdAt: '2025-12-31T00:00:00.000Z', generation: 2 });
const minutesUntil = (time: string | undefined, now: number) => (Date.parse(time ?? '') - now) / MINUTE;

test.each([
  ['nobody has prepared it', undefined, true],
  ['its mark is that of the table that it was restored from', { to: since, table: 'orders' }, true],
  ['it was prepared before the stage used it only', { to: since }, true],
  ['it was prepared', { to: since, table: 'orders-restored' }, false],
])('an adopted table holds the orders of the stage unless it was prepared: %s', (_what, mark, holds) => {
  const held = expect.objectContaining({ by: 'the stack', reason: expect.stringContaining('orders-restored') });
  const ended = resumed(0);
  expect(pauseIn([undefined, mark], 'orders-restored')).toEqual(holds ? held : undefined);
  expect(pauseIn([ended, mark], 'orders-restored')).toEqual(holds ? held : ended);
  expect(pauseIn([ended, mark], undefined)).toBe(ended);
});

describe('an order of a paused stage', () => {
  test.each([
    ['a minute', 1, 0.75, 1.05],
    ['an hour', 60, 4.5, 6.05],
    ['three days', 3 * 1_440, 11.25, 15.05],
  ])('looks again after a tenth of the time, from one to fifteen minutes: after %s', (_name, minutes, least, most) => {
    const now = begun + minutes * MINUTE;
    const waits = minutesUntil(heldUntil(paused, order(), now), now);
    expect(waits).toBeGreaterThanOrEqual(least);
    expect(waits).toBeLessThanOrEqual(most);
  });

  test('goes on if an operator lets it: in this pause, and in this attempt of its execution', () => {
    const permitted = (since: string, attempt: number) => ({ ...order(), whilePaused: { since, attempt } });
    expect(heldUntil(paused, permitted(since, 2_000), begun)).toBeUndefined();
    expect(heldUntil(paused, { ...permitted(since, 2_001), redrives: 1 }, begun)).toBeUndefined();
    for (const held of [permitted(since, 1_000), permitted(since, 2_001), permitted('2025-12-31T00:00:00.000Z', 2_000)])
      expect(heldUntil(paused, held, begun)).toBeDefined();
  });

  test.each(['', 'yesterday', undefined])('looks again soon if the pause begins at %j, which is no time', (what) => {
    const malformed = { ...paused, since: what } as StagePause;
    expect(minutesUntil(heldUntil(malformed, order(), begun), begun)).toBeLessThanOrEqual(1);
  });
});

describe('an order of a resumed stage', () => {
  const at = begun + DAY;

  test('goes on in some years although an operator wrote a number without end', () => {
    expect(heldUntil(resumed(1e300), order(), at)).toMatch(/^20/);
  });

  test('has a time of its own, at which it goes on', () => {
    const times = Array.from({ length: 200 }, (_, number) => heldUntil(resumed(3_600), order(number), at));
    const minutes = times.map((time) => (time === undefined ? 0 : minutesUntil(time, at)));
    expect(Math.min(...minutes)).toBeLessThan(5);
    expect(Math.max(...minutes)).toBeGreaterThan(55);
    expect(Math.max(...minutes)).toBeLessThan(60);
    expect(minutes.filter((one) => one < 30).length).toBeGreaterThan(60);
    expect(heldUntil(resumed(3_600), order(), at + 60 * MINUTE)).toBeUndefined();
    expect(heldUntil(resumed(3_600), order(7), at)).toBe(heldUntil(resumed(3_600), order(7), at + 1));
  });

  test('goes on at once if it was created after that, and if the stage was never paused', () => {
    const late = { ...order(), createdAt: '2026-01-02T00:00:00.001Z' };
    expect(heldUntil(resumed(1_000_000), late, at)).toBeUndefined();
    expect(heldUntil(undefined, order(), at)).toBeUndefined();
  });

  test('is not held by the clock of an operator that is ahead', () => {
    expect(heldUntil(resumed(3_600), order(), at - 60 * MINUTE)).toBeUndefined();
  });
});

test('held orders go on as fast as sweeps would start them', () => {
  const sweep = { everyMinutes: 5, mostStarts: 50 };
  expect([0, 10, 50, 1_000].map((orders) => secondsToGoOn(orders, sweep))).toEqual([0, 60, 300, 6_000]);
});

const at = '2026-01-01T00:00:00.000Z';
const open = {
  state: 'open',
  attempts: 2,
  attemptId: 'a',
  intendedAt: at,
  call: {},
  failure: 'OutcomeUnknown',
} as const;
const none = { state: 'none', attempts: 2, at };
const done = { ...none, state: 'done', outcome: { orderId: 'x' } };

test.each([
  ['a creation of unknown outcome', 'create', { said: none }, 'none'],
  ['a confirm of unknown outcome', 'confirm#offer', { said: done }, 'done'],
  ['what the release before recorded of it', 'create', { state: 'none', resolvedAt: at, said: done }, 'done'],
  ['an accept', 'accept-documents#1', { said: none }, 'open'],
  ['an upload', 'upload-signature#1#a@b', { said: { ...done, outcome: {} } }, 'done'],
  ['a creation that is done', 'create', { state: 'done', outcome: { orderId: 'y' }, said: none }, 'done'],
  ['a creation that was not done', 'create', { state: 'none', said: done }, 'none'],
  ['another attempt', 'create', { said: { ...none, attempts: 1 } }, 'open'],
  ['an outcome that is missing', 'create', { said: { ...done, outcome: undefined } }, 'open'],
  ['text', 'create', { said: 'none' }, 'open'],
])("an operator's word about %s", (_what, name, entry, state) => {
  expect(withReport({ ...open, ...entry, item: `operation#${name}` } as unknown as StoredEntry).state).toBe(state);
});

test.each([
  ['Unauthorized', 'Unauthorized'],
  ['AbortedByOperator', 'AbortedByOperator'],
  ['TIMED_OUT', 'TIMED_OUT'],
  ['Lambda.TooManyRequestsException', 'Lambda'],
  ['States.Timeout', 'States'],
  ['TypeError', 'Other'],
])('the error %s counts as %s', (error, expected) => {
  expect(errorClass(error)).toBe(expected);
});

test('an error that a person wrote when stopping an execution never becomes a dimension', () => {
  for (const written of ['order-10045 of Ivanov', 'my-order', 'States', 'States.my-order', 'Lambda.Ivanov', ''])
    expect(['Other', 'States', 'Lambda']).toContain(errorClass(written));
});
