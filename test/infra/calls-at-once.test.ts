import { expect, test } from 'vitest';
import { definitions } from '../../infra/order/function-definitions.ts';
import { LEAST_CALLS_AT_ONCE } from '../../infra/order-service-settings.ts';
import { functionsIn, orderStack, warningsOf } from '../helpers/template.ts';

const calling = Object.entries(definitions).flatMap(([name, one]) => ('callsService' in one ? name : []));

const reserved = (callsAtOnce?: number) =>
  functionsIn(orderStack('prod', (stage) => ({ ...stage, callsAtOnce }))).flatMap(
    ({ functionName = '', reservedConcurrentExecutions: count }) =>
      count === undefined ? [] : [[functionName.replace('loan-orders-prod-', ''), count] as const],
  );

test('without callsAtOnce, no function has a reserved concurrency', () => {
  expect(reserved()).toEqual([]);
});

test.each([LEAST_CALLS_AT_ONCE, 8, 99])('callsAtOnce %i is divided among the functions that call', (calls) => {
  const runs = new Map(reserved(calls));
  expect([...runs.keys()].sort()).toEqual(calling.sort());
  expect([...runs.values()].reduce((sum, count) => sum + count, 0)).toBe(calls);
  expect(Math.min(...runs.values())).toBeGreaterThanOrEqual(1);
  expect(Math.max(...runs.values())).toBe(runs.get('read-order'));
});

test.each([
  [900, 0],
  [901, 1],
])('callsAtOnce %i with a quota of 1,000 gives %i warnings at synth', (callsAtOnce, warnings) => {
  const found = warningsOf(orderStack('prod', (stage) => ({ ...stage, callsAtOnce })));
  expect(found.filter((text) => text.startsWith('callsAtOnce'))).toHaveLength(warnings);
});

test('the smallest callsAtOnce has one run for each function that calls', () => {
  expect(LEAST_CALLS_AT_ONCE).toBe(calling.length);
});
