import { expect, test } from 'vitest';
import { formatTable, row, rowsOfRuns } from '../../../bench/table.ts';

test('the table shows every group once, and for every row the median, minimum, maximum, unit, runs and bound', () => {
  const rows = [
    row('Start', 'synth of one stage', 's', [12.5, 13, 12.75]),
    row('Counts', 'transitions', 'count', [38], 40),
    row('Start', 'memory', 'MB', [1218.4]),
  ];
  expect(formatTable(rows)).toBe(
    [
      '                      median  minimum  maximum   unit  runs  bound',
      'Start',
      '  synth of one stage   12.75    12.50    13.00      s     3',
      '  memory                1218     1218     1218     MB     1',
      'Counts',
      '  transitions             38       38       38  count     1     40',
    ].join('\n'),
  );
});

test('the list of columns has the values of all runs in each row', () => {
  const runs = [{ wall: 2_000 }, { wall: 4_000 }];
  const [first] = rowsOfRuns('Orders', runs, [['wall time', 's', ({ wall }) => wall / 1000, 3]]);
  expect(first).toEqual({
    group: 'Orders',
    what: 'wall time',
    unit: 's',
    sample: { median: 3, minimum: 2, maximum: 4, runs: 2 },
    bound: 3,
  });
});
