import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { errorNames } from '../../../core/errors.ts';
import { timeouts } from '../../../core/timeouts.ts';
import { orderDefinition, type StateDefinition } from '../../../statemachine/order-definition.ts';
import { policies } from '../../../statemachine/retries.ts';
import { exchangeDefinition } from '../../definition.ts';
import { PAGES_PER_EXECUTION } from '../../infra/functions.ts';
import { exchangeTemplate } from '../helpers/template.ts';

interface Task extends Omit<StateDefinition, 'Retry' | 'Catch' | 'ItemProcessor'> {
  ItemProcessor?: { States: Record<string, Task> };
  Parameters?: { FunctionName?: string };
  Retry?: { ErrorEquals: string[]; MaxAttempts: number }[];
  Catch?: { ErrorEquals: string[]; Next: string }[];
}

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const { States: states } = exchangeDefinition() as unknown as { States: Record<string, Task> };
const tasks = Object.entries(states).filter(([, { Type }]) => Type === 'Task');
const functions = tasks.filter(([, { Parameters }]) => Parameters?.FunctionName);

test('every exchange task ends in Fail with Error and Cause, and runs a function again that Lambda did not run or ended', () => {
  for (const [name, { Retry, Catch }] of functions) {
    expect(Retry?.[0], name).toEqual(policies['not run or ended']);
    expect(Catch, name).toEqual([{ ErrorEquals: ['States.ALL'], ResultPath: '$.failure', Next: 'Exchange failed' }]);
  }
  const ofOrders = orderDefinition().States['Continue in a new execution'];
  expect(states['Continue in a new execution']?.Catch?.[0]).toEqual(ofOrders?.Catch?.[0]);
});

test('a file is retried for about a day when the service asks for a long wait, because no next run sends it', () => {
  const patient = functions.filter(([, { Retry = [] }]) =>
    Retry.some(({ ErrorEquals, MaxAttempts }) => ErrorEquals.includes('Throttled') && MaxAttempts === 60),
  );
  expect(patient.map(([name]) => name)).toEqual(['Send status', 'Return offers']);
});

test('an unknown outcome is retried only in exchange tasks whose operation may be sent again', () => {
  const retried = functions.filter(([, { Retry = [] }]) =>
    Retry.some(({ ErrorEquals }) => ErrorEquals.includes('OutcomeUnknown')),
  );
  expect(retried.map(([name]) => name)).toEqual(['Send status']);
});

test('the timeouts of the exchange are nested: call, function, task', () => {
  const deployed = Object.values(exchangeTemplate('test').findResources('AWS::Lambda::Function'));
  const longest = Math.max(...deployed.map(({ Properties }) => Properties.Timeout));
  expect(timeouts.tokenSeconds + timeouts.callSeconds).toBeLessThan(longest);
  for (const [name, { TimeoutSeconds = 0 }] of functions) expect(TimeoutSeconds, name).toBeGreaterThan(longest);
});

test('an execution that reads the most pages stays below the history limit, whatever fails', () => {
  const attempts = (task: Task | undefined) =>
    (task?.Retry ?? []).reduce((sum, { MaxAttempts }) => sum + MaxAttempts, 1);
  // Entering and leaving the state, three events for each attempt, and two for the Choice after it.
  const perPage = 2 + 3 * attempts(states['Fetch requests']) + 2;
  expect(perPage).toBe(85);
  expect(PAGES_PER_EXECUTION * perPage).toBeLessThan(20_000);
});

test('the errors that the exchange retries have known names', () => {
  const named = functions.flatMap(([, { Retry = [] }]) => Retry.flatMap(({ ErrorEquals }) => ErrorEquals));
  const ours = named.filter((name) => !/^(Lambda|Sandbox|Runtime)\./.test(name));
  for (const name of ours) expect(errorNames).toContain(name);
});

test('asl-validator finds no fault in the definition', () => {
  // The package has no types.
  type Validator = (definition: object) => { errorsText(): string };
  const validate = createRequire(import.meta.url)('asl-validator') as Validator;
  const text = read('exchange.asl.json').replaceAll(/\$\{\w+\}/g, 'arn:aws:lambda:us-east-1:123456789012:function:one');
  expect(validate(JSON.parse(text)).errorsText()).toBe('');
});
