import { expect, test } from 'vitest';
import {
  OutcomeUnknown,
  Rejected,
  ServiceUnavailable,
  Throttled,
  Unauthorized,
  UnexpectedResponse,
} from '../../../../core/errors.ts';
import { knowledgeIn, readEntry, storedKnowledge } from '../../../../core/ledger/entry.ts';
import {
  callFailureOf,
  type IfUnknown,
  type Knowledge,
  learn,
  mayBeDone,
  NONE,
  OPEN,
  UNLIKELY,
  type Undone,
} from '../../../../core/ledger/knowledge.ts';
import type { CallFailure } from '../../../../core/service/what-answers-prove.ts';

/** What is known after: `refused`, `turned away`, `lost`. Each is shown as an undeclared answer, and as one that the stage declares. */
const table: [IfUnknown, before: Undone, undeclared: string, declared: string][] = [
  ['look', NONE, 'open open open', 'none none open'],
  ['look', OPEN, 'open open open', 'open open open'],
  ['never', NONE, 'open open open', 'none unlikely open'],
  ['never', UNLIKELY, 'open open open', 'open unlikely open'],
  ['never', OPEN, 'open open open', 'open open open'],
  ['again', NONE, 'none open open', 'none open open'],
  ['again', OPEN, 'open open open', 'open open open'],
];

test.each(table)('a call of the kind "%s" about which is known %j', (ifUnknown, before, undeclared, declared) => {
  const after = (isDeclared: boolean) =>
    (['refused', 'turned away', 'lost'] as const).map((failure) => learn(before, failure, ifUnknown, isDeclared).state);
  expect([after(false).join(' '), after(true).join(' ')]).toEqual([undeclared, declared]);
  for (const isDeclared of [false, true]) expect(learn(before, 'not sent', ifUnknown, isDeclared)).toBe(before);
});

test('an operation may be done without our knowledge if it is unlikely or open', () => {
  expect([NONE, UNLIKELY, OPEN].map(mayBeDone)).toEqual([false, true, true]);
});

test.each<[string, unknown, CallFailure]>([
  ['a 4xx', new Rejected('No.', { call: { httpStatus: 409 } }), 'refused'],
  ['429', new Throttled('Later.', { call: { httpStatus: 429 } }), 'turned away'],
  ['403', new Rejected('No.', { call: { httpStatus: 403 } }), 'not sent'],
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

test.each<Knowledge>([NONE, UNLIKELY, OPEN, done])('the knowledge %j is read as it was stored', (knowledge) => {
  expect(knowledgeIn(storedKnowledge(knowledge))).toEqual(knowledge);
});

const entry = { item: 'operation#create', attempts: 1, attemptId: 'one', intendedAt: since, call: { httpStatus: 429 } };

test('the other properties of an entry are read as they are stored', () => {
  const read = readEntry({ ...entry, ...storedKnowledge(OPEN), resolvedAt: since });
  expect(read).toEqual({ ...entry, knowledge: OPEN, resolvedAt: since });
});

test.each<[string, Partial<typeof entry> & { generation?: number }, Undone]>([
  ['a creation of this release', { generation: 1, call: { httpStatus: 503 } }, UNLIKELY],
  ['a creation of the release before, after its first 429', {}, UNLIKELY],
  ['a creation of the release before, after 503', { call: { httpStatus: 503 } }, OPEN],
  ['a creation of the release before, after 503 and 429', { attempts: 2 }, OPEN],
  ['an accept of the release before, after 429', { item: 'operation#accept-documents#1' }, OPEN],
])('what is recorded as unlikely of %s', (_what, recorded, knowledge) => {
  expect(readEntry({ ...entry, ...storedKnowledge(UNLIKELY), ...recorded }).knowledge).toEqual(knowledge);
});
