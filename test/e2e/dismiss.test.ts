import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { afterEach, expect, test } from 'vitest';
import { commandsIn } from '../helpers/commands-in.ts';
import { answer, creating, inject, loseAnswer } from '../helpers/faults.ts';
import { SIGNATURES_AT_ONCE } from '../helpers/offers.ts';
import { openWorld } from '../helpers/open-world.ts';
import { submit } from '../helpers/packages.ts';
import { runSweep } from '../helpers/run-sweep.ts';
import { submitAndAbort, submitToSign } from '../helpers/signatures.ts';

const REASON = ['--reason', 'The customer chose another bank'];

const broken = { events: false };
const world = await openWorld({
  settings: SIGNATURES_AT_ONCE,
  deliveryWrapper: (event, deliver) => {
    if (!(broken.events && event.source === 'aws.states')) deliver();
  },
});
world.aws.addPerson('AKIAOPERATOR', world.outputs.OperatorPolicy ?? '');
afterEach(() => {
  broken.events = false;
});

const { as, done, refusal, run } = commandsIn(world);

/** An order whose creation the service refused. */
async function refuse(orderRef: string): Promise<void> {
  inject(world.simulator, 'before', creating, answer(400));
  await submit(world, orderRef);
  expect(await world.untilEnd(orderRef)).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
}

/** Invokes the function that records the end of an execution. */
async function recordEnd(input: object): Promise<void> {
  const url = `${world.aws.endpoint}/2015-03-31/functions/loan-orders-local-record-end/invocations`;
  let isDone = false;
  const invoked = fetch(url, { method: 'POST', body: JSON.stringify(input) }).then(() => {
    isDone = true;
  });
  await world.aws.runUntil(() => isDone);
  await invoked;
}

const told = async (orderRef: string, what: string) =>
  (await world.items(orderRef)).filter((item) => item.what === what);

test('an order whose creation was refused is dismissed with the rights of an operator, and every command says so', async () => {
  await refuse('refused');
  const { code, stdout, stderr } = await as('AKIAOPERATOR', 'dismiss', 'refused', ...REASON);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    'Order refused is dismissed: it waits for nobody, and is kept as long as an order that is over. ' +
      'The order service does not have the order. "loan-orders retry refused" brings it back until its files are removed.\n',
  );
  const record = await world.record('refused');
  expect(record).toMatchObject({
    status: 'RECEIVED',
    waitingFor: 'nobody',
    openFor: 'files-to-remove',
    dismissed: { by: 'AKIAOPERATOR', at: expect.any(String), failure: { error: 'Rejected' } },
    failure: {
      error: 'DismissedByOperator',
      cause: 'An operator dismissed the order: The customer chose another bank',
    },
  });
  expect(await told('refused', 'An operator dismissed the order')).toMatchObject([
    { by: 'AKIAOPERATOR', reason: 'The customer chose another bank', 'failure before': 'Rejected' },
  ]);
  // The command has the clock of this machine.
  world.clock.advanceTo(Math.max(world.clock.now(), Date.now()) + 120_000);
  await runSweep(world);
  expect(await world.stagedJson('refused', 'status.json')).toMatchObject({
    waitingFor: 'nobody',
    failure: { error: 'DismissedByOperator' },
  });
  expect(await done('list')).toMatch(
    /^refused +RECEIVED +nobody +1 +\S+ \S+ +\d+ \w+( \d+ \w+)? +DismissedByOperator$/m,
  );
  expect(await done('list', '--waiting-for', 'operator')).toBe('No matching orders.\n');
  const page = await done('show', 'refused');
  expect(page).toMatch(/^Waiting for +nobody$/m);
  expect(page).toMatch(/^Dismissed +\S+ \S+, by AKIAOPERATOR, after Rejected$/m);
  expect(page).toContain('Nothing. To bring the order back, run "loan-orders retry refused".');
});

test('a repeat changes nothing, and says when and by whom it was done', async () => {
  const before = await world.record('refused');
  const said = await done('dismiss', 'refused', '--reason', 'Another reason');
  expect(said).toMatch(/^Order refused was dismissed before, at \S+ \S+, by AKIAOPERATOR\.\n$/);
  expect(await world.record('refused')).toEqual(before);
  expect(await told('refused', 'An operator dismissed the order')).toHaveLength(1);
});

test('an order that the service has is dismissed with its orderId, and the service is told nothing', async () => {
  const orderId = await submitAndAbort(world, 'aborted');
  const calls = world.simulator.calls().length;
  expect(await done('dismiss', 'aborted', ...REASON)).toContain(
    `The order service was told nothing and has the order as ${orderId}, which may go on there.`,
  );
  expect(world.simulator.calls()).toHaveLength(calls);
  expect(await world.record('aborted')).toMatchObject({ orderId, waitingFor: 'nobody' });
});

test('an order that may exist at the service is dismissed, and must still be resolved before a retry', async () => {
  inject(world.simulator, 'after', creating, loseAnswer);
  await submit(world, 'unknown');
  await world.untilEnd('unknown');
  const { orders } = JSON.parse(await done('dismiss', 'unknown', ...REASON, '--json'));
  expect(orders).toMatchObject([{ orderRef: 'unknown', atService: 'unknown' }]);
  expect(await refusal('retry', 'unknown')).toContain('Order unknown may or may not exist at the order service');
  const orderId = world.simulator.orders().at(-1)?.orderId ?? '';
  await done('resolve', 'unknown', '--order-id', orderId);
  await done('retry', 'unknown');
  await world.aws.settle();
  expect(await world.untilEnd('unknown')).toMatchObject({ status: 'CLOSED', orderId });
});

test('retry brings a dismissed order back, and takes it to CLOSED', async () => {
  await done('retry', 'aborted');
  await world.aws.settle();
  const order = await world.untilEnd('aborted');
  expect(order).toMatchObject({ status: 'CLOSED', generation: 2 });
  expect(order.dismissed).toBeUndefined();
  expect(order.failure).toBeUndefined();
});

test('several orders are dismissed at once, or none of them if one cannot be', async () => {
  await submitAndAbort(world, 'several-1');
  await submitAndAbort(world, 'several-2');
  expect(await refusal('dismiss', 'several-1', 'aborted', 'several-2', ...REASON)).toBe(
    'Order aborted is CLOSED, which is final: there is nothing to dismiss. No order was dismissed.\n',
  );
  expect(await world.record('several-1')).toMatchObject({ waitingFor: 'operator' });
  expect((await done('dismiss', 'several-1', 'several-2', ...REASON)).split('\n')).toHaveLength(3);
  for (const orderRef of ['several-1', 'several-2'])
    expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'nobody' });
});

test('dismiss refuses an order that an execution drives, that is unknown, or that nobody gives a reason for', async () => {
  await submitToSign(world, 'running');
  expect(await refusal('dismiss', 'running', ...REASON)).toBe(
    'Execution running-1 of order running is running: stop it with "loan-orders abort running" first. No order was dismissed.\n',
  );
  expect(await refusal('dismiss', 'nobody', ...REASON)).toContain('There is no order nobody here');
  expect(await run('dismiss', 'running')).toMatchObject({ code: 2 });
  expect(await run('dismiss', 'running', '--reason', ' ')).toMatchObject({ code: 2 });
  expect(await run('dismiss', 'running', '--reason', 'x'.repeat(201))).toMatchObject({ code: 2 });
  broken.events = true;
  await world.abort('running');
  expect(await refusal('dismiss', 'running', ...REASON)).toBe(
    'Order running waits for signatures, not for an operator: if it was stopped just now, repeat this in a minute. No order was dismissed.\n',
  );
});

test('the late end of an execution that never claimed the order does not bring it back', async () => {
  await submitAndAbort(world, 'late-end');
  const stateMachineArn = world.outputs.OrderStateMachine;
  const input = JSON.stringify({ orderRef: 'late-end', generation: 1 });
  broken.events = true;
  await world.stepFunctions.send(new StartExecutionCommand({ stateMachineArn, name: 'late-end-2', input }));
  await world.aws.settle();
  await done('dismiss', 'late-end', ...REASON);
  const dismissed = await world.record('late-end');
  expect(dismissed).toMatchObject({ generation: 2, waitingFor: 'nobody' });
  const execution = (await world.executions('late-end')).at(-1)?.executionArn;
  const failure = { Error: 'Superseded', Cause: 'late' };
  await recordEnd({ execution, ended: { orderRef: 'late-end', generation: 2, reads: 1, failure } });
  expect(await world.record('late-end')).toEqual(dismissed);
});

test('a decision on a dismissed order is refused', async () => {
  await submitAndAbort(world, 'undecided');
  await done('dismiss', 'undecided', ...REASON);
  expect(await refusal('confirm', 'undecided', '--none')).toContain(
    'Order undecided was dismissed: nothing was decided.',
  );
});
