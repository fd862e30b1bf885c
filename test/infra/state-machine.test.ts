import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorNames } from '../../core/errors.ts';
import { LEAST_WAIT_SECONDS } from '../../core/order/waits.ts';
import { timeouts } from '../../core/timeouts.ts';
import { orderDefinition } from '../../statemachine/order-definition.ts';
import type { Retrier } from '../../statemachine/retries.ts';
import { templateOf } from '../helpers/template.ts';

interface State {
  Type: string;
  Comment?: string;
  Resource?: string;
  Parameters?: { FunctionName?: string; Payload?: Record<string, string> };
  TimeoutSeconds?: number;
  TimeoutSecondsPath?: string;
  Retry?: Retrier[];
  Catch?: { ErrorEquals: string[]; Next: string }[];
  ItemProcessor?: { States: Record<string, State> };
  Next?: string;
}

const readme = readFileSync(new URL('../../statemachine/README.md', import.meta.url), 'utf8');
const { States: top } = orderDefinition() as unknown as { States: Record<string, State> };
const inner = Object.values(top).flatMap((state) => Object.entries(state.ItemProcessor?.States ?? {}));
const all = [...Object.entries(top), ...inner];
const tasks = all.filter(([, state]) => state.Type === 'Task');

test('a task or a Map catches no error but those that it handles, so a failed execution is red at its step', () => {
  const caught = all.flatMap(([, { Catch = [] }]) => Catch.flatMap(({ ErrorEquals }) => ErrorEquals));
  expect(caught).not.toContain('States.ALL');
  expect(all.filter(([, { Type }]) => Type === 'Fail').map(([name]) => name)).toEqual(['Validation failed']);
});

test('every state says what it is for, and every task gets its execution, which a person may have redriven', () => {
  expect(all.filter(([, { Comment }]) => !Comment).map(([name]) => name)).toEqual([]);
  const payloads = tasks
    .filter(([, { Resource }]) => Resource?.includes('lambda'))
    .map(([, { Parameters }]) => Parameters?.Payload);
  expect(payloads.map((payload) => payload?.['execution.$'])).toEqual(payloads.map(() => '$$.Execution'));
});

test('only named errors are retried, with backoff, full jitter and a cap', () => {
  for (const [name, state] of tasks) {
    for (const retry of (state.Retry ?? []).filter(({ MaxAttempts }) => MaxAttempts !== 0)) {
      expect(retry, name).toMatchObject({ BackoffRate: 2, JitterStrategy: 'FULL' });
      expect(retry.MaxDelaySeconds, name).toBeGreaterThan(0);
      for (const error of retry.ErrorEquals) {
        // retries.test.ts has the faults of Lambda.
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
