import { describe, expect, test } from 'vitest';
import { missedBounds, mostCalls, mostTransitions } from '../../../bench/bounds.ts';

describe('the bounds of the bench', () => {
  test('an order of P polls, D documents, S to sign and C confirms makes at most 3P + 2(D + S) + C + 10 transitions', () => {
    expect(mostTransitions({ polls: 0, documents: 0, toSign: 0, confirms: 0 })).toBe(10);
    expect(mostTransitions({ polls: 6, documents: 3, toSign: 2, confirms: 2 })).toBe(18 + 10 + 2 + 10);
  });

  test('an order makes one call for each thing to do, and one more download of each document to compare it', () => {
    const bounds = mostCalls({ polls: 6, documents: 3, toSign: 2, confirms: 2 });
    expect(Object.values(bounds)).toEqual([1, 3, 2, 4, 2, 2]);
  });

  test('a count at its bound does not fail', () => {
    expect(missedBounds([{ what: 'polls before their time', count: 0, bound: 0 }])).toEqual([]);
  });

  test('a count over its bound fails with a sentence that names both', () => {
    const counts = [
      { what: 'transitions of an order', count: 41, bound: 40 },
      { what: 'service calls of a poll', count: 1, bound: 1 },
    ];
    expect(missedBounds(counts)).toEqual(['Too many transitions of an order: 41, but at most 40 are allowed.']);
  });

  test('a count that is not a number fails', () => {
    expect(missedBounds([{ what: 'DynamoDB reads', count: Number.NaN, bound: 1 }])).toHaveLength(1);
  });

  test('a value without a bound never fails', () => {
    expect(missedBounds([{ what: 'history events of an order', count: 25_000 }])).toEqual([]);
  });
});
