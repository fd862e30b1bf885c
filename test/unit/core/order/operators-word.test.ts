import { expect, test } from 'vitest';
import type { StoredEntry } from '../../../../core/ledger/entry.ts';
import { withReport } from '../../../../core/order/operators-word.ts';

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
