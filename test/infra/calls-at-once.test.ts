import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { definitions } from '../../infra/order/function-definitions.ts';
import { LEAST_CALLS_AT_ONCE } from '../../infra/stage-settings.ts';
import { orderStack, templateOf } from '../helpers/template.ts';

const calling = Object.entries(definitions).filter(([, definition]) => 'callsService' in definition);

/** The reserved concurrency of each function that has one. */
function reserved(template: Template): Map<string, number> {
  const functions = Object.values(template.findResources('AWS::Lambda::Function'));
  const entries = functions.map(({ Properties: { FunctionName, ReservedConcurrentExecutions } }) => [
    String(FunctionName).replace(/^loan-orders-[a-z]+-/, ''),
    ReservedConcurrentExecutions,
  ]);
  return new Map(entries.filter(([, count]) => count !== undefined) as [string, number][]);
}

test('without callsAtOnce, no function has a reserved concurrency', () => {
  expect(reserved(templateOf('test'))).toEqual(new Map());
});

test.each([LEAST_CALLS_AT_ONCE, 8, 50, 99, 900])('callsAtOnce %i is divided among the functions that call', (calls) => {
  const stack = orderStack('test', (stage) => ({ ...stage, callsAtOnce: calls }));
  const runs = reserved(Template.fromStack(stack));
  expect([...runs.keys()].sort()).toEqual(calling.map(([name]) => name).sort());
  expect([...runs.values()].reduce((sum, count) => sum + count, 0)).toBe(calls);
  expect(Math.min(...runs.values())).toBeGreaterThanOrEqual(1);
  expect(Math.max(...runs.values())).toBe(runs.get('read-order'));
});

test('the smallest callsAtOnce has one run for each function that calls', () => {
  expect(LEAST_CALLS_AT_ONCE).toBe(calling.length);
});
