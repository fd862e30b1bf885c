import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { orderDefinition } from '../../statemachine/order-definition.ts';
import { type Policy, policies, type Retrier, retries } from '../../statemachine/retries.ts';

const deployed = Object.entries(policies) as [Policy, Retrier][];
const tasksWith = (policy: Policy) => Object.entries(retries).filter(([, names]) => names.includes(policy));

test('Create order is the exception: only it does not run a function again that may have run', () => {
  expect(retries['Create order']).toEqual(['not run', 'unavailable', 'throttled']);
  expect(tasksWith('not run').map(([name]) => name)).toEqual(['Create order']);
  const ended = ['Lambda.ServiceException', 'Lambda.Unknown', 'Sandbox.Timedout', 'OutcomeUnknown', 'States.ALL'];
  const retried = orderDefinition().States['Create order']?.Retry?.flatMap(({ ErrorEquals = [] }) => ErrorEquals) ?? [];
  expect(retried.filter((name) => ended.includes(name))).toEqual([]);
  expect(retried).toContain('Lambda.TooManyRequestsException');
});

test('every other Task runs a function again that Lambda did not run or ended', () => {
  const { 'Create order': _exception, 'Continue in a new execution': _invokesNone, ...others } = retries;
  for (const [name, [first]] of Object.entries(others)) expect(first, name).toBe('not run or ended');
});

test('statemachine/README.md has the table of retries', () => {
  const rows = deployed.map(([policy, { ErrorEquals, IntervalSeconds, MaxDelaySeconds, MaxAttempts }]) => {
    const isWider = policy === 'not run or ended';
    const named = ErrorEquals.filter((name) => !isWider || !policies['not run'].ErrorEquals.includes(name));
    const errors = [...(isWider ? ['as _not run_'] : []), ...named.map((name) => `\`${name}\``)].join(', ');
    const waits = MaxAttempts === 0 ? '|' : `${IntervalSeconds} s | ${MaxDelaySeconds} s`;
    const tasks = tasksWith(policy).map(([name]) => `_${name}_`);
    return `| _${policy}_ | ${errors} | ${waits} | ${MaxAttempts} | ${tasks.join(', ')} |`;
  });
  const table = [
    '| Policy | Errors | First wait | Longest wait | Retries | Tasks |',
    '|---|---|---|---|---|---|',
    ...rows,
  ];
  const readme = readFileSync('statemachine/README.md', 'utf8');
  const section = readme.split('\n## Retries\n')[1]?.split('\n## ')[0] ?? '';
  expect(section.split('\n').filter((line) => line.startsWith('|'))).toEqual(table);
});
