import { expect, test } from 'vitest';
import { percentile, sampleOf } from '../../../bench/sample.ts';

test('a sample has the median, the minimum, the maximum and the number of its runs', () => {
  expect(sampleOf([10, 2, 9])).toEqual({ median: 9, minimum: 2, maximum: 10, runs: 3 });
});

test('the median of an even number of runs is between the two middle runs', () => {
  expect(sampleOf([4, 1, 3, 2]).median).toBe(2.5);
});

test('a measurement without runs is an error', () => {
  expect(() => sampleOf([])).toThrow(RangeError);
});

test('a percentile is a measured value', () => {
  const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([percentile(sorted, 0.5), percentile(sorted, 0.95), percentile(sorted, 1)]).toEqual([50, 95, 100]);
  expect(percentile([7], 0.95)).toBe(7);
  expect(percentile([], 0.5)).toBe(0);
});
