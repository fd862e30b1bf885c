import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { errorNames } from '../../../core/errors.ts';
import { timeouts } from '../../../infra/timeouts.ts';
import { orderDefinition, type State } from '../../../statemachine/order-definition.ts';
import { MAX_PAGES_PER_EXECUTION } from '../../infra/settings.ts';
import { exchangeTemplate } from '../helpers/template.ts';

interface Task extends Omit<State, 'Retry' | 'Catch' | 'ItemProcessor'> {
  ItemProcessor?: { States: Record<string, Task> };
  Parameters?: { FunctionName?: string };
  Retry?: { ErrorEquals: string[]; MaxAttempts: number }[];
  Catch?: { ErrorEquals: string[]; Next: string }[];
}

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const { States: states } = JSON.parse(read('bank-exchange/exchange.asl.json')) as { States: Record<string, Task> };
const { States: orders } = orderDefinition() as unknown as { States: Record<string, Task> };
const readme = read('bank-exchange/states.md');
const tasks = Object.entries(states).filter(([, { Type }]) => Type === 'Task');
const functions = tasks.filter(([, { Parameters }]) => Parameters?.FunctionName);

/** Retriers match whatever the order of their errors is. */
const sorted = (retry: Task['Retry'] = []) => retry.map((one) => ({ ...one, ErrorEquals: one.ErrorEquals.toSorted() }));

/** No sweep starts a run again after an outage, so the exchange retries for longer. */
const longer = (retry: Task['Retry'] = []) =>
  retry.map((one) =>
    one.ErrorEquals[0] === 'ServiceUnavailable' ? { ...one, MaxAttempts: 8, MaxDelaySeconds: 120 } : one,
  );

/** Nobody starts an upload again, as the schedule starts the next run. So an upload waits for about a day. */
const patient = (retry: Task['Retry'] = []) =>
  retry.map((one) => (one.ErrorEquals[0] === 'Throttled' ? { ...one, MaxAttempts: 60, MaxDelaySeconds: 3_600 } : one));

test('every exchange task has the retries of the tasks of an order, only longer, and ends in Fail with Error and Cause', () => {
  const ordinary = longer(orders['Read order']?.Retry);
  const again = longer(orders['Waiting for documents']?.ItemProcessor?.States['Upload document']?.Retry);
  const special: Record<string, Task['Retry']> = { 'Send status': patient(again), 'Return offers': patient(ordinary) };
  for (const [name, { Retry, Catch }] of functions) {
    expect(sorted(Retry), name).toEqual(sorted(special[name] ?? ordinary));
    expect(Catch, name).toEqual([{ ErrorEquals: ['States.ALL'], ResultPath: '$.failure', Next: 'Exchange failed' }]);
  }
  const [own, ofOrders] = [states, orders].map((all) => all['Continue in a new execution']);
  expect(own?.Retry).toEqual(ofOrders?.Retry);
  expect(own?.Catch?.[0]).toEqual(ofOrders?.Catch?.[0]);
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
  expect(timeouts.tokenSeconds + timeouts.patienceSeconds + timeouts.tokenSeconds + timeouts.callSeconds).toBeLessThan(
    longest,
  );
  for (const [name, { TimeoutSeconds = 0 }] of functions) expect(TimeoutSeconds, name).toBeGreaterThan(longest);
});

test('an execution that reads the most pages stays below the history limit, whatever fails', () => {
  const attempts = (task: Task | undefined) =>
    (task?.Retry ?? []).reduce((sum, { MaxAttempts }) => sum + MaxAttempts, 1);
  // Entering and leaving the state, three events for each attempt, and two for the Choice after it.
  const perPage = 2 + 3 * attempts(states['Fetch requests']) + 2;
  expect(perPage).toBe(85);
  expect(MAX_PAGES_PER_EXECUTION * perPage).toBeLessThan(20_000);
});

test('bank-exchange/states.md has a row for each exchange state, and its errors have known names', () => {
  for (const name of Object.keys(states)) expect(readme, name).toContain(`| ${name} |`);
  const named = functions.flatMap(([, { Retry = [] }]) => Retry.flatMap(({ ErrorEquals }) => ErrorEquals));
  const ours = named.filter((name) => !/^(Lambda|Sandbox|Runtime)\./.test(name));
  for (const name of ours) expect(errorNames).toContain(name);
});

test('asl-validator finds no fault in the definition', () => {
  // The package has no types.
  type Validator = (definition: object) => { errorsText(): string };
  const validate = createRequire(import.meta.url)('asl-validator') as Validator;
  const text = read('bank-exchange/exchange.asl.json').replaceAll(
    /\$\{\w+\}/g,
    'arn:aws:lambda:us-east-1:123456789012:function:one',
  );
  expect(validate(JSON.parse(text)).errorsText()).toBe('');
});
