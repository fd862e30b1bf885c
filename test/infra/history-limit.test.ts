import { expect, test } from 'vitest';
import { MAX_DOCUMENTS } from '../../core/package/package-schema.ts';
import { LONGEST_GROWN_WAIT_SECONDS } from '../../core/reading/next-read.ts';
import { checkHistoryLimit, worstCase } from '../../infra/history-limit.ts';
import { stageSettings } from '../../infra/stages.ts';
import {
  LAMBDA,
  startMachine,
  workTask,
} from '../../packages/embedded-aws/test/step-functions/state-machine-fixture.ts';
import { type Definition, orderDefinition, type State } from '../../statemachine/order-definition.ts';
import { orderStack } from '../helpers/template.ts';

const prod = stageSettings('prod');

/** The state machine of the project with one changed state. */
function changed(name: string, change: (state: State) => void): Definition {
  const definition = orderDefinition();
  const state = definition.States[name];
  if (!state) throw new Error(`There is no state "${name}".`);
  change(state);
  return definition;
}

const ours = changed('Read order', () => undefined);
const check = (readsPerExecution: number, definition = ours) =>
  checkHistoryLimit(definition, { name: 'prod', readsPerExecution });

function refusal(act: () => void): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was not refused.');
}

const largest = (definition = ours) =>
  Number(/at most (\d+) fit/.exec(refusal(() => check(1_000_000, definition)))?.[1] ?? Number.NaN);

test('the settings of every stage stay below the history limit', () => {
  for (const name of ['test', 'prod', 'local']) checkHistoryLimit(ours, stageSettings(name));
});

test('a readsPerExecution above the history limit fails the synth, and the message names the largest value', () => {
  const synth = () => orderStack('prod', () => ({ ...prod, readsPerExecution: 1_000 }));
  expect(synth).toThrow(
    `readsPerExecution of stage prod is 1000; at most ${largest()} fit: a read with all its retries writes`,
  );
  expect(() => check(largest())).not.toThrow();
  expect(() => check(largest() + 1)).toThrow(`at most ${largest()} fit`);
});

test('the worst case at the largest readsPerExecution leaves a fifth of the history free', () => {
  const { once, perRead } = worstCase(ours);
  expect(once + largest() * perRead).toBeLessThanOrEqual(20_000);
  expect(once + (largest() + 1) * perRead).toBeGreaterThan(20_000);
});

test('the most reads of an execution, each after the longest grown wait, fit into the year that an execution may last', () => {
  expect(largest() * LONGEST_GROWN_WAIT_SECONDS).toBeLessThan(365 * 86_400);
});

test('each further retry adds three events to the worst case and allows fewer reads', () => {
  const more = (name: string, attempts: number) =>
    worstCase(changed(name, ({ Retry }) => Retry?.push({ MaxAttempts: attempts })));
  const { once } = worstCase(ours);
  // With few retries, the worst read is one that finds work.
  expect(more('Read order', 20).perRead).toBe(more('Read order', 10).perRead + 30);
  expect(more('Create order', 10).once).toBe(once + 30);
  expect(more('Continue in a new execution', 10).once).toBe(once + 30);
  expect(largest(changed('Read order', ({ Retry }) => Retry?.push({ MaxAttempts: 4 })))).toBeLessThan(largest());
});

test('work that fits into no execution fails the synth, whatever the setting', () => {
  const upload = changed('Upload signatures', ({ ItemProcessor }) =>
    ItemProcessor?.States['Upload signature']?.Retry?.push({ MaxAttempts: 60 }),
  );
  expect(() => check(1, upload)).toThrow('The largest piece of work of an execution writes up to');
});

test('a state without a known bound is refused by name', () => {
  const loop = changed('Accept documents', (state) => {
    state.Next = 'Waiting for documents';
  });
  expect(() => check(1, loop)).toThrow('has a loop through "Waiting for documents" without "Read order"');
  const renamed = changed('Order status', () => undefined);
  const map = renamed.States['Confirm offer'] as State;
  renamed.States['Confirm all'] = map;
  (renamed.States['Offers available'] as State).Next = 'Confirm all';
  expect(() => check(1, renamed)).toThrow('does not know how many items the Map state "Confirm all" can have');
  const parallel = changed('In work', (state) => {
    state.Type = 'Parallel';
  });
  expect(() => check(1, parallel)).toThrow('how many events a state of type Parallel writes ("In work")');
});

test('the computed number of events is what the engine writes for a full Map, a wait, retries, two reads and a failure', async () => {
  const machine = await startMachine(states);
  const execution = await machine.start({ reads: 0, documents: Array.from({ length: MAX_DOCUMENTS }, () => ({})) });
  expect(await machine.finish(execution)).toMatchObject({ status: 'FAILED', error: 'ServiceUnavailable' });
  const { once, perRead } = worstCase({ StartAt: 'Waiting for documents', States: states as Record<string, State> });
  expect(await machine.history(execution)).toHaveLength(once + 2 * perRead);
});

const onward = { End: undefined, ResultPath: null };
const next = (Next: string, error: string) => ({
  Next,
  Catch: [{ ErrorEquals: [error], ResultPath: '$.failure', Next }],
});

/** Uploads as many documents as one execution may, reads twice without success, then fails. */
const states: Record<string, object> = {
  'Waiting for documents': {
    Type: 'Map',
    ItemsPath: '$.documents',
    ResultPath: null,
    Next: 'Offers available',
    ItemProcessor: { StartAt: 'Upload document', States: { 'Upload document': workTask({}) } },
  },
  'Offers available': workTask(
    { 'taskToken.$': '$$.Task.Token' },
    {
      ...onward,
      Resource: `${LAMBDA}.waitForTaskToken`,
      TimeoutSeconds: 60,
      ...next('Read order', 'States.Timeout'),
    },
  ),
  'Read order': workTask(
    { fail: 'ServiceUnavailable' },
    {
      ...onward,
      Retry: [{ ErrorEquals: ['ServiceUnavailable'], MaxAttempts: 4 }],
      ...next('In work', 'States.ALL'),
    },
  ),
  'In work': { Type: 'Wait', Seconds: 5, Next: 'Count' },
  Count: { Type: 'Pass', Parameters: { 'reads.$': 'States.MathAdd($.reads, 1)' }, Next: 'Order status' },
  'Order status': {
    Type: 'Choice',
    Default: 'Read order',
    Choices: [{ Variable: '$.reads', NumericEquals: 2, Next: 'Order failed' }],
  },
  'Order failed': { Type: 'Fail', Error: 'ServiceUnavailable' },
};
