import { expect, test } from 'vitest';
import { formatTable, median, missedBounds, row } from '../../../bench/table.ts';

test('each group is a table with the median, minimum, maximum, unit, runs and bound of every row', () => {
  const rows = [
    row('Start', 'synth', 's', [12.5, 13, 12.75]),
    row('Counts', 'transitions', 'count', 38, 40),
    row('Start', 'memory', 'MB', 1218.4),
  ];
  expect(formatTable(rows)).toEqual([
    '',
    'Start   MEDIAN  MINIMUM  MAXIMUM  UNIT  RUNS  BOUND',
    'synth   12.75   12.50    13.00    s     3     -',
    'memory  1218    1218     1218     MB    1     -',
    '',
    'Counts       MEDIAN  MINIMUM  MAXIMUM  UNIT   RUNS  BOUND',
    'transitions  38      38       38       count  1     40',
  ]);
});

test('the median of an even number of values is between the two middle ones, and none has none', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
});

test('the worst run over a bound is missed, and so is a count that is not a number', () => {
  expect(missedBounds([row('Counts', 'early reads', 'count', 0, 0), row('Start', 'synth', 's', 99)])).toEqual([]);
  expect(missedBounds([row('Counts', 'transitions', 'count', [40, 41], 40)])).toEqual([
    'Too many: Counts, transitions: 41, but at most 40 are allowed.',
  ]);
  expect(missedBounds([row('Counts', 'reads', 'count', Number.NaN, 1)])).toHaveLength(1);
});
