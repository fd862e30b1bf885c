import { expect, test } from 'vitest';
import { knowledgeIn, readEntry, stored } from '../../../../core/ledger/entry.ts';
import { type Knowledge, NONE, OPEN, UNLIKELY } from '../../../../core/ledger/knowledge.ts';

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
  const entry = { item: 'operation#create', attempts: 2, attemptId: 'one', intendedAt: since };
  expect(readEntry({ ...entry, ...stored(OPEN), resolvedAt: since })).toEqual({
    ...entry,
    knowledge: OPEN,
    resolvedAt: since,
  });
});
