import { expect, test } from 'vitest';
import { errorClass } from '../../../../core/order/order-changes.ts';

test.each([
  ['Unauthorized', 'Unauthorized'],
  ['AbortedByOperator', 'AbortedByOperator'],
  ['TIMED_OUT', 'TIMED_OUT'],
  ['Lambda.TooManyRequestsException', 'Lambda'],
  ['States.Timeout', 'States'],
  ['TypeError', 'Other'],
])('the error %s counts as %s', (error, expected) => {
  expect(errorClass(error)).toBe(expected);
});

test('an error that a person wrote when stopping an execution never becomes a dimension', () => {
  for (const written of ['order-10045 of Ivanov', 'my-order', 'States', 'States.my-order', 'Lambda.Ivanov', ''])
    expect(['Other', 'States', 'Lambda']).toContain(errorClass(written));
});
