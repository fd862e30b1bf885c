import { expect, test } from 'vitest';
import type { Resumption } from '../../../../core/order/order-item.ts';
import { isBehind, isToMove } from '../../../../core/recovery/move.ts';
import { resumptionAfter } from '../../../../core/recovery/outage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const start = Date.UTC(2026, 0, 1);
const hoursAgo = (hours: number) => new Date(start - hours * HOUR).toISOString();
const ending = (error: string, at = start) => ({ error, at });
const before = (hours: number, tries: number) => ({ since: hoursAgo(hours), tries, at: hoursAgo(hours - 1) });

test('the pauses grow from 5 minutes to an hour, and end when the patience is used up', () => {
  /** The minutes of all tries, counted from the first end, when every try ends a minute later in the same outage. */
  const tries = (patienceHours: number) => {
    const minutes: number[] = [];
    let resume: Resumption | undefined;
    for (let at = start; ; at = Date.parse(resume.at) + MINUTE) {
      resume = resumptionAfter(ending('ServiceUnavailable', at), resume, patienceHours);
      if (!resume) return minutes;
      minutes.push((Date.parse(resume.at) - start) / MINUTE);
    }
  };
  expect(tries(5)).toEqual([5, 16, 37, 78, 139, 200, 261]);
  expect(tries(72)).toHaveLength(73);
});

test('an order is started again by itself after an outage only', () => {
  const others = ['OutcomeUnknown', 'Rejected', 'Unauthorized', 'UnexpectedResponse', 'AbortedByOperator', 'TIMED_OUT'];
  for (const error of [...others, 'Sandbox.Timedout', 'Runtime.ExitError', 'States.Runtime'])
    expect(resumptionAfter(ending(error), undefined, 72), error).toBeUndefined();
  const first = { since: hoursAgo(0), tries: 1, at: new Date(start + 5 * MINUTE).toISOString() };
  // A new release has removed the function, or the right to invoke it, or a right of the function.
  const gone = ['Lambda.ResourceNotFoundException', 'Lambda.AccessDeniedException'];
  const ofRelease = [...gone, 'AccessDeniedException', 'AccessDenied'];
  const outages = ['ServiceUnavailable', 'NoUsableAnswer', 'Throttled', 'Lambda.TooManyRequestsException'];
  for (const error of [...outages, ...ofRelease])
    expect(resumptionAfter(ending(error), undefined, 72), error).toEqual(first);
});

test('after a function that Lambda ended an order is started again only if nothing can have been sent', () => {
  for (const isUnsent of [true, false])
    expect(resumptionAfter({ ...ending('Runtime.ExitError'), isUnsent }, undefined, 72) !== undefined).toBe(isUnsent);
});

test('the patience with an outage counts from the first Retry-After that the order had to wait for', () => {
  const throttled = { ...ending('Throttled'), throttledSince: hoursAgo(71) };
  expect(resumptionAfter(throttled, undefined, 72)).toMatchObject({ since: hoursAgo(71) });
  expect(resumptionAfter(throttled, undefined, 71)).toBeUndefined();
});

test('a pause of the stage does not use up the patience, because no call was made in it', () => {
  const resumedAt = hoursAgo(71);
  const ended = { ...ending('ServiceUnavailable'), resumedAt };
  expect(resumptionAfter(ended, before(80, 3), 72)).toMatchObject({ since: resumedAt, tries: 4 });
  const throttled = { ...ending('Throttled'), throttledSince: hoursAgo(80), resumedAt };
  expect(resumptionAfter(throttled, undefined, 72)).toMatchObject({ since: resumedAt, tries: 1 });
  expect(resumptionAfter({ ...throttled, resumedAt: undefined }, undefined, 72)).toBeUndefined();
});

test('the order is not started again before the time that the service asked for, and not at all if that is too late', () => {
  const throttled = { ...ending('Throttled'), throttledUntil: hoursAgo(-2) };
  expect(resumptionAfter(throttled, undefined, 72)).toMatchObject({ at: hoursAgo(-2) });
  expect(resumptionAfter(throttled, undefined, 1)).toBeUndefined();
});

const old = { release: 'old', generation: 2, execution: 'arn' };

test('an order that runs in another release is behind, in whichever direction', () => {
  expect(isBehind(old, 'new')).toBe(true);
  expect(isBehind({ ...old, release: 'new' }, 'old')).toBe(true);
  expect(isBehind(old, 'old')).toBe(false);
});

test('an order without a running execution continues in the newest release anyway', () => {
  const { execution: _execution, ...unclaimed } = old;
  expect(isBehind(unclaimed, 'new')).toBe(false);
  expect(isBehind({ ...old, failure: { error: 'Throttled', cause: '', at: '' } }, 'new')).toBe(false);
});

test('a mark counts for its generation only, and is renewed when there is a newer release', () => {
  const marked = { ...old, moveTo: { release: 'new', generation: 2, at: '' } };
  expect(isToMove(marked)).toBe(true);
  expect(isBehind(marked, 'new')).toBe(false);
  expect(isBehind(marked, 'newer')).toBe(true);
  expect(isToMove({ ...marked, generation: 3 })).toBe(false);
  expect(isBehind({ ...marked, generation: 3 }, 'new')).toBe(true);
});
