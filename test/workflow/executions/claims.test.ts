import { StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import { commandsIn } from '../../helpers/commands-in.ts';
import { answer, creating, inject, uploading } from '../../helpers/faults.ts';
import { handingOverAfter } from '../../helpers/hand-over.ts';
import { NO_OFFERS, openWorld } from '../../helpers/open-world.ts';
import { beforeFirst } from '../../helpers/requests.ts';
import { DAY } from '../../helpers/world.ts';

const handOver = handingOverAfter(3);
const world = await openWorld({ settings: NO_OFFERS, invokeWrapper: handOver });
const { wrappers } = world;

/** Stops this execution before its first function begins. That function runs after the end is recorded. */
function abortBeforeClaim(orderRef: string, generation: number): void {
  let aborted = false;
  wrappers.invokeWrapper = async (functionName, event, invoke) => {
    const claim = event as { orderRef: string; generation: number; execution: { Id: string } };
    const isThisExecution = claim.orderRef === orderRef && claim.generation === generation;
    if (!aborted && functionName.endsWith('create-order') && isThisExecution) {
      aborted = true;
      const stop = new StopExecutionCommand({ executionArn: claim.execution.Id, error: 'AbortedByOperator' });
      await world.stepFunctions.send(stop);
      const ended = { generation, waitingFor: 'operator', failure: { error: 'AbortedByOperator' } };
      await expect.poll(() => world.record(orderRef)).toMatchObject(ended);
    }
    return handOver(functionName, event, invoke);
  };
}

// An earlier execution hands the order to the second one.
test.each([1, 2])(
  'execution number %i, which ended before it claimed its order, does not claim it',
  async (generation) => {
    const orderRef = `ended-${generation}`;
    abortBeforeClaim(orderRef, generation);
    await world.submitUntil(orderRef, ({ waitingFor }) => waitingFor === 'operator');
    await world.aws.settle();
    const standing = { waitingFor: 'operator', failure: { error: 'AbortedByOperator' } };
    expect(await world.record(orderRef)).toMatchObject({ ...standing, generation });
    expect(await world.stagedJson(orderRef, 'status.json')).toMatchObject(standing);
    await world.startNext(orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
    expect(await world.calls(orderRef, creating)).toHaveLength(1);
  },
);

test('a change is dated after one that a machine made whose clock is ahead', async () => {
  Object.assign(world.simulator.settings, { slowProcessingSeconds: 20 });
  await world.submitUntil('ahead', ({ status }) => status === 'IN_WORK', { scenario: 'slow-processing' });
  const ahead = world.clock.now() + 45_000;
  const changedAt = new Date(ahead).toISOString();
  await world.rewrite('ahead', { changedAt });
  const next = await world.until('ahead', (order) => order.changedAt !== changedAt);
  expect(world.clock.now()).toBeLessThan(ahead);
  expect(Date.parse(next.changedAt)).toBe(ahead + 1);
});

test('abort also stops the execution that the aborted one hands the order to meanwhile', async () => {
  const { generation } = await world.submitToSign('escaping');
  beforeFirst(
    world,
    ({ operation }) => operation === 'StopExecution',
    () => world.startExecution('escaping', generation + 1),
  );
  const said = await commandsIn(world).done('abort', 'escaping');
  for (const stopped of [generation, generation + 1])
    expect(said).toContain(`Execution escaping-${stopped} was stopped.`);
  await world.aws.settle();
  expect(await world.record('escaping')).toMatchObject({ waitingFor: 'operator', generation: generation + 1 });
});

test('an execution that fails without a generation changes nothing in the record', async () => {
  await world.submitUntil('odd-input', ({ generation }) => generation === 1);
  await world.startExecution('odd-input', undefined, 'by-hand');
  expect(await world.untilEnd('odd-input')).toMatchObject({ status: 'CLOSED' });
  expect((await world.record('odd-input'))?.failure).toBeUndefined();
});

test('a throttled call is not repeated by an execution if another one drives the order by then', async () => {
  let paused = '';
  inject(world.simulator, 'before', uploading, async (call, request, reply) => {
    const record = await world.record('paused');
    paused = record?.execution ?? '';
    const generation = (record?.generation ?? 0) + 1;
    await world.startExecution('paused', generation);
    await expect.poll(() => world.record('paused'), { timeout: 20_000 }).toMatchObject({ generation });
    await answer(429, undefined, { 'retry-after': '1' })(call, request, reply);
  });
  expect(await world.submitToEnd('paused')).toMatchObject({ status: 'CLOSED' });
  const history = await world.history(paused);
  expect(history.at(-1)?.executionFailedEventDetails?.error).toBe('Superseded');
  expect((await world.calls('paused', uploading)).map(({ status }) => status)).toEqual([429, 201]);
});

test('an execution whose answer to the start of the next one was lost has handed over, even if the next one has ended', async () => {
  await world.submitUntil('answer-lost', ({ orderId }) => orderId !== undefined, { scenario: 'slow-processing' });
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
