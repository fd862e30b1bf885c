import { StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import { NO_OFFERS } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({
  settings: { ...NO_OFFERS, slowProcessingSeconds: 9 },
  environment: { READS_PER_EXECUTION: '3' },
});

test('an order continues in a new execution before the history limit, and nothing is done twice', async () => {
  await submit(world, 'long', { scenario: 'slow-processing' });
  const order = await world.untilEnd('long');
  expect(order.status).toBe('CLOSED');
  const executions = await world.executions('long');
  expect(executions.length).toBeGreaterThan(3);
  expect(executions.map(({ name }) => name)).toEqual(executions.map((_execution, index) => `long-${index + 1}`));
  expect(executions.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
  expect(order.generation).toBe(executions.length);
  const calls = await world.calls('long');
  expect(calls.filter(({ method, route }) => method === 'POST' && route === '/v1/orders')).toHaveLength(1);
  expect(calls.filter(({ route }) => route === '/v1/orders/{orderId}/accept')).toHaveLength(2);
  expect(calls.filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
});

test('an execution whose answer to the start of the next one was lost has handed over, even if the next one has ended', async () => {
  await submit(world, 'answer-lost', { scenario: 'slow-processing' });
  await world.until('answer-lost', ({ orderId }) => orderId !== undefined);
  const started = await world.stepFunctions.send(
    new StartExecutionCommand({ stateMachineArn: world.outputs.OrderStateMachine, name: 'answer-lost-2', input: '{}' }),
  );
  await world.stepFunctions.send(new StopExecutionCommand({ executionArn: started.executionArn }));
  const first = async () => (await world.executions('answer-lost'))[0];
  await world.aws.runUntil(async () => (await first())?.status !== 'RUNNING', { limitMilliseconds: DAY });
  expect(await first()).toMatchObject({ status: 'SUCCEEDED' });
  const starts = (await world.history((await first())?.executionArn)).filter(({ type }) => type === 'TaskFailed');
  expect(starts.map(({ taskFailedEventDetails }) => taskFailedEventDetails?.error)).toEqual([
    'StepFunctions.ExecutionAlreadyExistsException',
  ]);
});
