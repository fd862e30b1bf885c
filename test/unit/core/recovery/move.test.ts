import { expect, test } from 'vitest';
import { isBehind, isToMove } from '../../../../core/recovery/move.ts';

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
