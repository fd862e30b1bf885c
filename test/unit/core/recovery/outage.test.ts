import { expect, test } from 'vitest';
import type { Resumption } from '../../../../core/order/order-item.ts';
import { resumptionAfter } from '../../../../core/recovery/outage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const start = Date.UTC(2026, 0, 1);
const ending = (error: string, at: number, heard: boolean | undefined = undefined) => ({ error, at, heard });

/** The minutes of all tries, counted from the first end, when every try ends a minute later in the same outage. */
function tries(patienceHours: number): number[] {
  const minutes: number[] = [];
  let resume: Resumption | undefined;
  for (let at = start; ; at = Date.parse(resume.at) + MINUTE) {
    resume = resumptionAfter(ending('ServiceUnavailable', at, false), resume, patienceHours);
    if (!resume) return minutes;
    minutes.push((Date.parse(resume.at) - start) / MINUTE);
  }
}

test('the pauses grow from 5 minutes to an hour, and end when the patience is used up', () => {
  expect(tries(5)).toEqual([5, 16, 37, 78, 139, 200, 261]);
  expect(tries(72)).toHaveLength(73);
});

test.each([
  'OutcomeUnknown',
  'Rejected',
  'Unauthorized',
  'UnexpectedResponse',
  'AbortedByOperator',
  'TIMED_OUT',
  'Sandbox.Timedout',
  'Runtime.ExitError',
  'States.Runtime',
])('an order that %s stopped is not started again by itself', (error) => {
  expect(resumptionAfter(ending(error, start), undefined, 72)).toBeUndefined();
});

test.each([
  'ServiceUnavailable',
  'Throttled',
  'Lambda.TooManyRequestsException',
  // A new release has removed the function, or the right to invoke it.
  'Lambda.ResourceNotFoundException',
  'Lambda.AccessDeniedException',
])('an order that %s stopped is started again after 5 minutes', (error) => {
  const since = new Date(start).toISOString();
  const at = new Date(start + 5 * MINUTE).toISOString();
  expect(resumptionAfter(ending(error, start), undefined, 72)).toEqual({ since, tries: 1, at });
});

test('an answer of the service ends an outage: the next failure begins another one', () => {
  const before = {
    since: new Date(start - 71 * HOUR).toISOString(),
    tries: 70,
    at: new Date(start - HOUR).toISOString(),
  };
  expect(resumptionAfter(ending('ServiceUnavailable', start, true), before, 72)).toMatchObject({ tries: 1 });
  expect(resumptionAfter(ending('ServiceUnavailable', start, false), before, 72)).toMatchObject({ tries: 71 });
});

test('an old outage does not use up the patience with a new one, if nobody knows whether the service answered since', () => {
  const before = {
    since: new Date(start - 80 * HOUR).toISOString(),
    tries: 3,
    at: new Date(start - 79 * HOUR).toISOString(),
  };
  expect(resumptionAfter(ending('ServiceUnavailable', start), before, 72)).toMatchObject({ tries: 1 });
});

test('the patience with an outage counts from the first Retry-After that the order had to wait for', () => {
  const throttledSince = new Date(start - 71 * HOUR).toISOString();
  expect(resumptionAfter({ ...ending('Throttled', start), throttledSince }, undefined, 72)).toMatchObject({
    since: throttledSince,
  });
  expect(resumptionAfter({ ...ending('Throttled', start), throttledSince }, undefined, 71)).toBeUndefined();
});

test('a pause of the stage does not use up the patience, because no call was made in it', () => {
  const [since, resumedAt] = [80, 71].map((hours) => new Date(start - hours * HOUR).toISOString());
  const before = { since: since ?? '', tries: 3, at: since ?? '' };
  const ended = { ...ending('ServiceUnavailable', start, false), resumedAt };
  expect(resumptionAfter(ended, before, 72)).toMatchObject({ since: resumedAt, tries: 4 });
  const throttled = { ...ending('Throttled', start), throttledSince: since, resumedAt };
  expect(resumptionAfter(throttled, undefined, 72)).toMatchObject({ since: resumedAt, tries: 1 });
  expect(resumptionAfter({ ...throttled, resumedAt: undefined }, undefined, 72)).toBeUndefined();
});

test('the order is not started again before the time that the service asked for, and not at all if that is too late', () => {
  const throttledUntil = new Date(start + 2 * HOUR).toISOString();
  expect(resumptionAfter({ ...ending('Throttled', start), throttledUntil }, undefined, 72)).toMatchObject({
    at: throttledUntil,
  });
  expect(resumptionAfter({ ...ending('Throttled', start), throttledUntil }, undefined, 1)).toBeUndefined();
});
