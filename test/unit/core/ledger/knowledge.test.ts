import { describe, expect, test } from 'vitest';
import {
  OutcomeUnknown,
  Rejected,
  ServiceUnavailable,
  Throttled,
  Unauthorized,
  UnexpectedResponse,
} from '../../../../core/errors.ts';
import { knowledgeIn, readEntry, stored } from '../../../../core/ledger/entry.ts';
import {
  type CallFailure,
  callFailureOf,
  type Knowledge,
  learn,
  mayBeDone,
  NONE,
  OPEN,
  UNLIKELY,
  type Undone,
} from '../../../../core/ledger/knowledge.ts';

const now = Date.parse('2026-01-01T12:00:00.000Z');
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();
const refused = (refusals: number, seconds: number): Undone => ({ state: 'open', refusals, since: ago(seconds) });

/** What each kind of failure teaches about an operation that can be looked up. */
const table: [before: Undone, failure: CallFailure, after: Undone][] = [
  [NONE, 'refused', NONE],
  [NONE, 'turned away', UNLIKELY],
  [NONE, 'not sent', NONE],
  [NONE, 'lost', OPEN],
  [UNLIKELY, 'refused', refused(1, 0)],
  [UNLIKELY, 'turned away', UNLIKELY],
  [UNLIKELY, 'not sent', UNLIKELY],
  [UNLIKELY, 'lost', OPEN],
  [OPEN, 'refused', refused(1, 0)],
  [OPEN, 'turned away', UNLIKELY],
  [OPEN, 'not sent', UNLIKELY],
  [OPEN, 'lost', OPEN],
  [refused(1, 119), 'refused', refused(2, 119)],
  [refused(3, 0), 'refused', refused(4, 0)],
  [refused(4, 0), 'refused', NONE],
  [refused(1, 120), 'refused', NONE],
  [refused(2, 60), 'turned away', refused(2, 60)],
  [refused(2, 60), 'not sent', refused(2, 60)],
  [refused(2, 60), 'lost', OPEN],
];

describe('the knowledge after a call', () => {
  test.each(table)('about an operation that was %j and was then %s is %j', (before, failure, after) => {
    expect(learn(before, failure, { canLook: true, now })).toEqual(after);
  });

  const all = [NONE, UNLIKELY, OPEN, refused(2, 60)];

  test('about an operation that cannot be looked up differs after a refusal only: then it is none', () => {
    for (const [before, failure, after] of table)
      expect(learn(before, failure, { canLook: false, now })).toEqual(failure === 'refused' ? NONE : after);
  });

  test('an operation may be done without our knowledge if it is unlikely or open', () => {
    expect(all.map(mayBeDone)).toEqual([false, true, true, true]);
  });
});

test.each<[string, unknown, CallFailure]>([
  ['a 4xx', new Rejected('No.', { call: { httpStatus: 409 } }), 'refused'],
  ['429', new Throttled('Later.', { call: { httpStatus: 429 } }), 'turned away'],
  ['503', new ServiceUnavailable('Later.', { call: { httpStatus: 503 } }), 'turned away'],
  ['no connection', new ServiceUnavailable('No connection.'), 'not sent'],
  ['a call during a pause', new Throttled('Not before noon.'), 'not sent'],
  ['401', new Unauthorized('Who?', { call: { httpStatus: 401 } }), 'not sent'],
  ['an answer that was lost', new OutcomeUnknown('It broke off.'), 'lost'],
  ['an unusable answer', new UnexpectedResponse('A page.', { call: { httpStatus: 200 } }), 'lost'],
  ['an error of our own', new TypeError('Oops.'), 'lost'],
])('%s is the failure "%s"', (_name, error, failure) => {
  expect(callFailureOf(error)).toBe(failure);
});

const since = '2026-01-01T12:00:00.000Z';
const done: Knowledge = { state: 'done', outcome: { orderId: 'one' } };

test.each<Knowledge>([NONE, UNLIKELY, OPEN, { state: 'open', refusals: 2, since }, done])(
  'the knowledge %j is read as it was stored',
  (knowledge) => {
    const failure = knowledge.state === 'done' ? undefined : 'OutcomeUnknown';
    expect(knowledgeIn({ ...stored(knowledge), ...(failure && { failure }) })).toEqual(knowledge);
  },
);

test('refusals before an attempt that was killed do not count', () => {
  expect(knowledgeIn({ state: 'open', refusals: 3, since })).toEqual(OPEN);
});

test('the other properties of an entry are read as they are stored', () => {
  const entry = {
    item: 'operation#create',
    attempts: 2,
    attemptId: 'one',
    intendedAt: since,
    call: { httpStatus: 503 },
  };
  expect(readEntry({ ...entry, ...stored(OPEN), resolvedAt: since })).toEqual({
    ...entry,
    knowledge: OPEN,
    resolvedAt: since,
  });
});
