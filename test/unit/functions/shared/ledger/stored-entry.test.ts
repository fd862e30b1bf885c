import { expect, test } from 'vitest';
import { readEntry } from '../../../../../functions/shared/ledger/entry.ts';
import { type Knowledge, NONE, OPEN, UNLIKELY } from '../../../../../functions/shared/ledger/knowledge.ts';
import { knowledgeIn, type StoredKnowledge, stored } from '../../../../../functions/shared/ledger/stored-entry.ts';

const since = '2026-01-01T12:00:00.000Z';
const done: Knowledge = { state: 'done', outcome: { orderId: 'one' } };

test.each<Knowledge>([NONE, UNLIKELY, OPEN, { state: 'open', refusals: 2, since }, done])(
  'the knowledge %j is read as it was stored',
  (knowledge) => {
    const failure = knowledge.state === 'done' ? undefined : 'OutcomeUnknown';
    expect(knowledgeIn({ ...stored(knowledge), ...(failure && { failure }) })).toEqual(knowledge);
  },
);

/** Entries as the first release wrote them. */
const intended = { state: 'intended' } as const;
const notDone = { state: 'not-done' } as const;
const doubts = { refusals: 3, since };

test.each<[StoredKnowledge & { failure?: string }, Knowledge]>([
  [intended, OPEN],
  [{ ...intended, failure: 'OutcomeUnknown' }, OPEN],
  [
    { ...intended, failure: 'OutcomeUnknown', doubts },
    { state: 'open', ...doubts },
  ],
  // The function was killed in the attempt after the refusals.
  [{ ...intended, doubts }, OPEN],
  [{ ...notDone, failure: 'Throttled' }, UNLIKELY],
  [{ ...notDone, failure: 'ServiceUnavailable', proven: true }, NONE],
  [{ ...notDone, failure: 'Rejected' }, NONE],
  [{ state: 'done', outcome: { orderId: 'one' } }, done],
])('the entry %j of an earlier release is read as %j', (entry, knowledge) => {
  expect(knowledgeIn(entry)).toEqual(knowledge);
});

test('the other properties of an entry are read as they are stored', () => {
  const entry = { item: 'operation#create', attempts: 2, run: 'one', intendedAt: since };
  expect(readEntry({ ...entry, ...stored(OPEN), resolvedAt: since })).toEqual({
    ...entry,
    knowledge: OPEN,
    resolvedAt: since,
  });
});
