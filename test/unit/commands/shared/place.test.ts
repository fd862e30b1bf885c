import { expect, test } from 'vitest';
import { inPlace, optionsOf } from '../../../../commands/shared/place.ts';

test('a command that an answer names gets the options that lead it to the same place', () => {
  const text =
    'Order a-loan-orders b waits (loan-orders-local-x): "loan-orders show a", npx loan-orders retry a; loan-orders --help';
  const at = 'http://127.0.0.1:7000';
  expect(inPlace(text, optionsOf({ local: true, endpoint: at }))).toBe(
    `Order a-loan-orders b waits (loan-orders-local-x): "loan-orders --endpoint ${at} show a", npx loan-orders --endpoint ${at} retry a; loan-orders --help`,
  );
  expect(inPlace('loan-orders show', optionsOf({ stage: 'prod', local: true }))).toBe(
    'loan-orders --stage prod --local show',
  );
  expect(inPlace(text, optionsOf({}))).toBe(text);
});
