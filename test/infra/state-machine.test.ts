import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorNames } from '../../core/errors.ts';
import { LEAST_WAIT_SECONDS } from '../../core/people/waits.ts';
import { timeouts } from '../../infra/timeouts.ts';
import { orderDefinition } from '../../statemachine/order-definition.ts';
import type { Retrier } from '../../statemachine/retries.ts';
import { templateOf } from '../helpers/template.ts';

interface State {
  Type: string;
  Resource?: string;
  Parameters?: { FunctionName?: string };
  TimeoutSeconds?: number;
  TimeoutSecondsPath?: string;
  Retry?: Retrier[];
  Catch?: { ErrorEquals: string[]; Next: string }[];
  ItemProcessor?: { States: Record<string, State> };
  Next?: string;
  SecondsPath?: string;
  /** What a Pass state sets. */
  Result?: { Error?: string };
}

const readme = readFileSync(new URL('../../statemachine/README.md', import.meta.url), 'utf8');
const { States: top } = orderDefinition() as unknown as { States: Record<string, State> };
const inner = Object.values(top).flatMap((state) => Object.entries(state.ItemProcessor?.States ?? {}));
const all = [...Object.entries(top), ...inner];
const tasks = all.filter(([, state]) => state.Type === 'Task');

test('state names are unique, even inside Map states', () => {
  const names = all.map(([name]) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('a poll takes three transitions', () => {
  for (const wait of ['In work', 'Offers approved']) {
    expect(top[wait]).toMatchObject({ Type: 'Wait', SecondsPath: '$.pollAfterSeconds', Next: 'Read order' });
  }
  expect(top['Read order']?.Next).toBe('Order status');
});

test('every task that can fail records its end and then ends in Fail with Error and Cause', () => {
  for (const [name, state] of Object.entries(top).filter(([, { Type }]) => Type === 'Task' || Type === 'Map')) {
    const last = state.Catch?.at(-1);
    const Next = name === 'Record end' ? 'Order failed' : 'Record end';
    expect(last, name).toMatchObject({ ErrorEquals: ['States.ALL'], Next });
  }
  const beforeFail = all.filter(([, { Next }]) => Next === 'Order failed').map(([name]) => name);
  expect(beforeFail).toEqual(['Record end']);
  expect(top['Order failed']).toMatchObject({
    Type: 'Fail',
    ErrorPath: '$.failure.Error',
    CausePath: '$.failure.Cause',
  });
  expect(all.filter(([, { Type }]) => Type === 'Fail').map(([name]) => name)).toEqual(['Order failed']);
});

test('only named errors are retried, with backoff, full jitter and a cap', () => {
  for (const [name, state] of tasks) {
    for (const retry of (state.Retry ?? []).filter(({ MaxAttempts }) => MaxAttempts !== 0)) {
      expect(retry, name).toMatchObject({ BackoffRate: 2, JitterStrategy: 'FULL' });
      expect(retry.MaxDelaySeconds, name).toBeGreaterThan(0);
      for (const error of retry.ErrorEquals) {
        // lambda-errors.test.ts has the faults of Lambda.
        if (/^(Lambda|Sandbox|Runtime)\./.test(error)) continue;
        // The name is fixed, so starting the next execution twice gives one execution.
        if (name === 'Continue in a new execution' && error === 'States.TaskFailed') continue;
        expect(errorNames, name).toContain(error);
      }
    }
  }
});

test('the timeouts of the order workflow are nested: call, function, task', () => {
  const functions = Object.values(templateOf('test').findResources('AWS::Lambda::Function'));
  const functionTimeouts = new Map(functions.map(({ Properties }) => [Properties.FunctionName, Properties.Timeout]));
  const { callSeconds, fileSeconds, tokenSeconds } = timeouts;
  const read = tokenSeconds + callSeconds;
  expect(read + tokenSeconds + callSeconds + callSeconds).toBeLessThan(timeouts.functionSeconds);
  expect(tokenSeconds + fileSeconds).toBeLessThan(timeouts.fileFunctionSeconds);
  for (const [name, state] of tasks.filter(([, { Parameters }]) => Parameters?.FunctionName)) {
    const id = state.Parameters?.FunctionName?.replace(/^\$\{|Arn\}$/g, '') ?? '';
    const functionName = `loan-orders-test${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    // The read before a wait for people says how long it lasts, and how long at least.
    const least = state.TimeoutSecondsPath === '$.waitSeconds' ? LEAST_WAIT_SECONDS : (state.TimeoutSeconds ?? 0);
    expect(functionTimeouts.get(functionName), name).toBeLessThan(least);
  }
});

test('statemachine/README.md has a row for each state and each error', () => {
  for (const [name] of all) expect(readme, name).toContain(`| ${name} |`);
  for (const name of errorNames) expect(readme, name).toContain(`\`${name}\``);
});

test('docs/operations.md says what to do about every error and every end', () => {
  const operations = readFileSync('docs/operations.md', 'utf8');
  const rows = operations
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ')[0])
    .join('\n');
  const fails = all.flatMap(([, { Result }]) => (Result?.Error ? [Result.Error] : []));
  expect(fails).toEqual(['ValidationFailed', 'UnexpectedResponse']);
  for (const name of [...errorNames, ...fails]) expect(rows, name).toContain(`\`${name}\``);
});
