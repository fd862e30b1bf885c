import { StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { InvokeWrapper, RequestWrapper } from '@business-loan-orders/embedded-aws';
import { afterEach, expect, test } from 'vitest';
import { run } from '../../../commands/program.ts';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { answer, inject, uploading } from '../../helpers/faults.ts';
import { NO_OFFERS } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

let invoked: InvokeWrapper | undefined;
let requested: RequestWrapper | undefined;

const world = await openWorld({
  settings: NO_OFFERS,
  environment: { READS_PER_EXECUTION: '3' },
  requestWrapper: async (request, serve) => requested?.(request, serve),
  invokeWrapper: (functionName, event, invoke) => (invoked ? invoked(functionName, event, invoke) : invoke()),
});

afterEach(() => {
  invoked = undefined;
  requested = undefined;
});

/** Stops this execution before its first function begins. That function runs after the end is recorded. */
function abortBeforeClaim(orderRef: string, generation: number): void {
  let aborted = false;
  invoked = async (functionName, event, invoke) => {
    const claim = event as { orderRef: string; generation: number; execution: string };
    const isThisExecution = claim.orderRef === orderRef && claim.generation === generation;
    if (!aborted && functionName.endsWith('create-order') && isThisExecution) {
      aborted = true;
      const stop = new StopExecutionCommand({ executionArn: claim.execution, error: 'AbortedByOperator' });
      await world.stepFunctions.send(stop);
      const ended = { generation, waitingFor: 'operator', failure: { error: 'AbortedByOperator' } };
      await expect.poll(() => world.record(orderRef)).toMatchObject(ended);
    }
    return invoke();
  };
}

async function createdOrders(orderRef: string): Promise<number> {
  const calls = await world.calls(orderRef);
  return calls.filter(({ method, route }) => method === 'POST' && route === '/v1/orders').length;
}

test('an execution that has ended does not claim its order', async () => {
  abortBeforeClaim('first', 1);
  await submit(world, 'first');
  await world.aws.settle();
  expect(await world.record('first')).toMatchObject({ status: 'RECEIVED', waitingFor: 'operator', generation: 1 });
  expect(await createdOrders('first')).toBe(0);
  await world.startNext('first');
  expect(await world.untilEnd('first')).toMatchObject({ status: 'CLOSED' });
  expect(await createdOrders('first')).toBe(1);
});

test('an aborted execution that an earlier one handed the order to does not claim it, and its end is recorded', async () => {
  abortBeforeClaim('handed-over', 2);
  await submit(world, 'handed-over');
  await world.until('handed-over', ({ waitingFor }) => waitingFor === 'operator');
  await world.aws.settle();
  const standing = { waitingFor: 'operator', failure: { error: 'AbortedByOperator' } };
  expect(await world.record('handed-over')).toMatchObject({ ...standing, generation: 2 });
  expect(await world.stagedJson('handed-over', 'status.json')).toMatchObject(standing);
  await world.startNext('handed-over');
  expect(await world.untilEnd('handed-over')).toMatchObject({ status: 'CLOSED' });
});

test('abort also stops the execution that the aborted one hands the order to meanwhile', async () => {
  const start = async (generation: number) => {
    const input = JSON.stringify({ orderRef: 'escaping', generation });
    const next = { stateMachineArn: world.outputs.OrderStateMachine, name: `escaping-${generation}`, input };
    await world.stepFunctions.send(new StartExecutionCommand(next));
  };
  await submit(world, 'escaping');
  const isWaiting = ({ waitingFor }: OrderItem) => waitingFor === 'signatures';
  const { generation } = await world.until('escaping', isWaiting, { signing: false });
  requested = async ({ operation }) => {
    if (operation !== 'StopExecution') return undefined;
    requested = undefined;
    await start(generation + 1);
    return undefined;
  };
  const said: string[] = [];
  const streams = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
  expect(await run(['--endpoint', world.aws.endpoint, 'abort', 'escaping'], streams)).toBe(0);
  for (const stopped of [generation, generation + 1]) {
    expect(said.join('')).toContain(`Execution escaping-${stopped} was stopped.`);
  }
  await world.aws.settle();
  expect(await world.record('escaping')).toMatchObject({ waitingFor: 'operator', generation: generation + 1 });
});

test('an execution that fails without a generation changes nothing in the record', async () => {
  await submit(world, 'odd-input');
  await world.until('odd-input', ({ generation }) => generation === 1);
  const input = JSON.stringify({ orderRef: 'odd-input' });
  const stateMachineArn = world.outputs.OrderStateMachine;
  await world.stepFunctions.send(new StartExecutionCommand({ stateMachineArn, name: 'by-hand', input }));
  expect(await world.untilEnd('odd-input')).toMatchObject({ status: 'CLOSED' });
  expect((await world.record('odd-input'))?.failure).toBeUndefined();
});

test('a throttled call is not repeated after its pause if another execution drives the order by then', async () => {
  let paused = '';
  inject(world.simulator, 'before', uploading, async (call, request, reply) => {
    const record = await world.record('paused');
    paused = record?.execution ?? '';
    const generation = (record?.generation ?? 0) + 1;
    const input = JSON.stringify({ orderRef: 'paused', generation });
    const next = { stateMachineArn: world.outputs.OrderStateMachine, name: `paused-${generation}`, input };
    await world.stepFunctions.send(new StartExecutionCommand(next));
    await expect.poll(() => world.record('paused'), { timeout: 20_000 }).toMatchObject({ generation });
    await answer(429, undefined, { 'retry-after': '1' })(call, request, reply);
  });
  await submit(world, 'paused');
  expect(await world.untilEnd('paused')).toMatchObject({ status: 'CLOSED' });
  const history = await world.history(paused);
  expect(history.at(-1)?.executionFailedEventDetails?.error).toBe('Superseded');
  // It ends at the upload, which the next execution makes.
  const entered = history.flatMap(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name ?? []);
  expect(entered).toContain('Upload document');
  expect(entered).not.toContain('Accept documents');
  expect((await world.calls('paused')).filter(uploading).map(({ status }) => status)).toEqual([429, 201]);
});
