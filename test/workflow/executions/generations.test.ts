import { StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import { accepting, creating, signing } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: { documentsToSign: 8 }, environment: { READS_PER_EXECUTION: '12' } });

/** The Map states and reads of an execution, in order. */
async function steps(executionArn: string | undefined): Promise<string[]> {
  const entered = (await world.history(executionArn)).map((event) => event.stateEnteredEventDetails?.name ?? '');
  return entered.filter((name) => /^(Read order|Waiting for .*|Confirm offer)$/.test(name));
}

test('work that does not fit into the rest of an execution is done once, by the next execution', async () => {
  await submit(world, 'large', { documents: ['charter.pdf', 'balance.pdf'] });
  const order = await world.untilEnd('large');
  const executions = await world.executions('large');
  expect(order).toMatchObject({ status: 'CLOSED', generation: executions.length });
  expect(executions.map(({ name }) => name)).toEqual(executions.map((_execution, index) => `large-${index + 1}`));
  expect(executions.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
  const all = await Promise.all(executions.map(({ executionArn }) => steps(executionArn)));
  expect(all.find((names) => names.includes('Waiting for signature'))).toEqual([
    'Read order',
    'Waiting for signature',
    'Read order',
  ]);
  expect(all.flat().filter((name) => name !== 'Read order')).toEqual([
    'Waiting for documents',
    'Waiting for signature',
    'Confirm offer',
  ]);
  const made = await Promise.all([creating, accepting, signing].map((matches) => world.calls('large', matches)));
  expect(made.map(({ length }) => length)).toEqual([1, 2, 8]);
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
