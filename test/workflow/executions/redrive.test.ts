import { DescribeExecutionCommand, RedriveExecutionCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { defaultOffers } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { timeouts } from '../../../core/timeouts.ts';
import { changePause, commandsIn } from '../../helpers/commands-in.ts';
import {
  accepting,
  answer,
  confirming,
  creating,
  inject,
  KILLED,
  loseAnswer,
  loseRequest,
  reading,
  uploading,
} from '../../helpers/faults.ts';
import { choiceStates, decide, untilOffers } from '../../helpers/offers.ts';
import { MAIN_PATH, NO_OFFERS, OFFERS_AT_ONCE, openWorld, rareSweeps, runSweep } from '../../helpers/open-world.ts';
import { orderAtService } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: { ...MAIN_PATH, ...NO_OFFERS } });
const { simulator } = world;
const { done } = commandsIn(world);

async function redrive(orderRef: string, executionArn?: string): Promise<string | undefined> {
  const arn = executionArn ?? (await world.record(orderRef))?.execution;
  await world.stepFunctions.send(new RedriveExecutionCommand({ executionArn: arn }));
  await world.aws.settle();
  return arn;
}

async function startNew(orderRef: string, input: object = {}, name: string = crypto.randomUUID()): Promise<string> {
  const given = JSON.stringify({ orderRef, generation: 1, ...input });
  const stateMachineArn = world.outputs.OrderStateMachine;
  const command = new StartExecutionCommand({ stateMachineArn, name, input: given });
  const { executionArn = '' } = await world.stepFunctions.send(command);
  await world.aws.settle();
  return executionArn;
}

const described = (executionArn?: string) => world.stepFunctions.send(new DescribeExecutionCommand({ executionArn }));

async function redState(arn?: string): Promise<string | undefined> {
  const names = (await world.history(arn)).map(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name);
  return names.findLast((name) => name !== undefined);
}

async function refusedInWords(arn: string | undefined, words: string): Promise<void> {
  await world.aws.runUntil(async () => (await described(arn)).status !== 'RUNNING');
  const { status, error, cause } = await described(arn);
  expect({ status, error }).toEqual({ status: 'FAILED', error: 'Superseded' });
  expect(cause).toContain(words);
}

test('a refused upload is red at its step, and a redrive sends that one alone, with the document that replaced it', async () => {
  const documents = ['one.pdf', 'two.pdf', 'three.pdf'];
  let sent = 0;
  simulator.hooks.before = async (call, request, reply) => {
    if (uploading(call)) sent += 1;
    if (uploading(call) && sent === 2) await answer(400)(call, request, reply);
  };
  const { failure, execution } = await world.submitToEnd('upload', { documents });
  expect(await redState(execution)).toBe('Upload document');
  const { error, cause } = await described(execution);
  expect({ error, status: failure?.error }).toEqual({ error: 'Rejected', status: 'Rejected' });
  const errorMessage = expect.stringContaining('answered 400');
  expect(JSON.parse(cause ?? '{}')).toEqual({ errorType: 'Rejected', errorMessage, trace: [''] });
  await world.putAndSettle('upload', 'documents/two.pdf', 'better bytes');
  await redrive('upload');
  expect(await world.untilEnd('upload')).toMatchObject({ status: 'CLOSED', generation: 1, redrives: 1 });
  const statuses = (await world.calls('upload', uploading)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([201, 201, 201, 400]);
  expect((await orderAtService(world, 'upload')).uploadedDocuments).toHaveLength(3);
});

test('a refused accept fails its own step once a read shows it, and is redriven only after a read', async () => {
  inject(simulator, 'before', accepting, answer(409));
  const { execution, failure, status } = await world.submitToEnd('accept');
  expect({ failure, status }).toMatchObject({ status: 'WAITING_FOR_DOCUMENTS', failure: { error: 'Rejected' } });
  expect(failure?.cause).toContain('refused the accept-documents (409), and it was not done');
  expect(await world.told('accept', 'An accept was refused')).toHaveLength(1);
  expect(await redState(execution)).toBe('Accept documents');
  const before = (await world.calls('accept')).length;
  await redrive('accept');
  expect(await world.untilEnd('accept')).toMatchObject({ status: 'CLOSED', generation: 1 });
  const first = (await world.calls('accept'))[before];
  expect(first && reading(first)).toBe(true);
  expect(first?.at).toBeGreaterThan(Date.parse(failure?.at ?? '') + timeouts.callSeconds * 1000);
  expect((await world.calls('accept', accepting)).map(({ status }) => status)).toEqual([409, 202, 202]);
});

test('a redriven confirm waits for a read, which says that it was done', async () => {
  Object.assign(simulator.settings, OFFERS_AT_ONCE, { offers: defaultOffers });
  const { choices } = await untilOffers(world, 'confirm');
  inject(simulator, 'before', confirming, answer(409));
  await decide(world, 'confirm', choices.slice(0, 1));
  const { execution } = await world.untilEnd('confirm');
  expect(await redState(execution)).toBe('Confirm one offer');
  await redrive('confirm');
  expect(await world.untilEnd('confirm')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await choiceStates(world, 'confirm')).toEqual(['confirmed']);
});

test('a redrive is refused in words while a creation is unknown, while another execution drives, and when it is over', async () => {
  const before = simulator.orders().length;
  inject(simulator, 'after', creating, loseAnswer);
  const { execution } = await world.submitToEnd('unknown');
  await redrive('unknown');
  expect(await world.untilEnd('unknown')).toMatchObject({ failure: { error: 'OutcomeUnknown' } });
  expect(await redState(execution)).toBe('Create order');
  expect(simulator.orders()).toHaveLength(before + 1);

  inject(simulator, 'before', accepting, answer(409));
  const first = (await world.submitToEnd('driven')).execution;
  await world.startNext('driven');
  const record = await world.record('driven');
  await redrive('driven', first);
  await refusedInWords(first, 'is driven by execution driven-2');
  expect(await world.record('driven')).toEqual(record);
  expect(await world.untilEnd('driven')).toMatchObject({ status: 'CLOSED', generation: 2 });
  await redrive('driven', first);
  await refusedInWords(first, 'is CLOSED, which is final');

  inject(simulator, 'before', uploading, answer(400));
  await world.submitToEnd('dismissed');
  await done('dismiss', 'dismissed', '--reason', 'Trial');
  await refusedInWords(await redrive('dismissed'), 'was dismissed');
});

test('a redriven order waits while the stage is paused', async () => {
  inject(simulator, 'before', uploading, answer(400));
  await world.submitToEnd('paused');
  await changePause(world, 'pause');
  const before = (await world.calls('paused')).length;
  await redrive('paused');
  await world.pass(600_000);
  expect(await world.calls('paused')).toHaveLength(before);
  await changePause(world, 'resume');
  expect(await world.untilEnd('paused')).toMatchObject({ status: 'CLOSED', generation: 1 });
});

test('a new execution under any name drives the order as its next generation, or names the one that drives it', async () => {
  inject(simulator, 'before', accepting, answer(409));
  await world.submitToEnd('new');
  const second = await startNew('new');
  expect(await world.record('new')).toMatchObject({ generation: 2, execution: second });
  await refusedInWords(await startNew('new'), `is driven by execution ${second.split(':').at(-1)}`);
  expect(await done('show', 'new')).toContain(second.split(':').at(-1));
  await world.abort('new');
  await refusedInWords(await startNew('new', {}, 'new-7'), 'for its number 7');
  await done('retry', 'new');
  expect(await world.untilEnd('new')).toMatchObject({ status: 'CLOSED', generation: 3 });
  await refusedInWords(await startNew('new'), 'is CLOSED, which is final');
});

test.each([
  ['was created', 'after', loseAnswer, '-by-hand'],
  ['was not created', 'before', loseRequest, '-2'],
] as const)('a new execution says in its input that an order %s', async (_what, when, fault, name) => {
  inject(simulator, when, creating, fault);
  const orderRef = `said-${when}`;
  await world.submitToEnd(orderRef);
  const orderId = simulator.orders().at(-1)?.orderId;
  for (const unusable of ['', '..'])
    await refusedInWords(await startNew(orderRef, { resolve: { orderId: unusable } }), 'orderId');
  const resolve = when === 'after' ? { orderId } : { none: true };
  await startNew(orderRef, { resolve, generation: 2 }, `${orderRef}${name}`);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test('a redrive does not repeat what the input said of an earlier creation', async () => {
  inject(simulator, 'before', creating, loseRequest);
  await world.submitToEnd('said-once');
  inject(simulator, 'after', creating, loseAnswer);
  const before = simulator.orders().length;
  const execution = await startNew('said-once', { resolve: { none: true } });
  await world.untilEnd('said-once');
  await redrive('said-once', execution);
  expect(await world.untilEnd('said-once')).toMatchObject({ failure: { error: 'OutcomeUnknown' }, generation: 2 });
  expect(simulator.orders()).toHaveLength(before + 1);
});

test('after "Stop execution" the order goes on with Redrive, also twice, and with retry', async () => {
  await world.submitUntil('stopped', ({ status }) => status === 'IN_WORK', { scenario: 'slow-processing' });
  for (const redrives of [1, 2]) {
    await world.abort('stopped');
    expect(await world.record('stopped')).toMatchObject({ waitingFor: 'operator', generation: 1 });
    await redrive('stopped');
    expect(await world.record('stopped')).toMatchObject({ redrives, waitingFor: 'service' });
  }
  await world.abort('stopped');
  await done('retry', 'stopped');
  expect(await world.untilEnd('stopped')).toMatchObject({ status: 'CLOSED', generation: 2 });
  expect(await world.told('stopped', 'An operator has redriven the execution')).toHaveLength(2);
});

test.each(['the event of a redrive', 'no event'])(
  'an order that was redriven in a wait no longer waits for an operator, although %s is lost',
  async (lost) => {
    const orderRef = lost.replaceAll(' ', '-');
    await world.submitUntil(orderRef, ({ status }) => status === 'IN_WORK', { scenario: 'slow-processing' });
    await world.abort(orderRef);
    const rarely = rareSweeps(600);
    world.wrappers.deliveryWrapper = (event, deliver) => {
      const { status } = (event.detail ?? {}) as { status?: string };
      if (lost === 'no event' || status !== 'RUNNING') rarely(event, deliver);
    };
    await redrive(orderRef);
    if (lost !== 'no event') {
      // An order that cannot be given back does not keep the sweep from the others.
      world.wrappers.requestWrapper = async ({ operation, body }) =>
        operation === 'UpdateItem' && body.includes(orderRef)
          ? { status: 400, code: 'AccessDeniedException' }
          : undefined;
      expect(await runSweep(world)).toMatchObject({ failed: 1, redriven: 0 });
      world.wrappers.requestWrapper = undefined;
      expect(await runSweep(world)).toMatchObject({ failed: 0, redriven: 1 });
    }
    expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'service' });
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
  },
);

test('a late function and a late event of the attempt before a redrive change nothing', async () => {
  const held: (() => void)[] = [];
  world.wrappers.deliveryWrapper = (event, deliver) => {
    const { status } = (event.detail ?? {}) as { status?: string };
    if (status === 'ABORTED') held.push(deliver);
    else deliver();
  };
  await world.submitUntil('late', ({ status }) => status === 'IN_WORK', { scenario: 'slow-processing' });
  await world.abort('late');
  await redrive('late');
  const before = await world.record('late');
  for (const deliver of held) deliver();
  await world.aws.settle();
  expect(held).toHaveLength(1);
  expect(await world.record('late')).toEqual(before);
  expect(await world.untilEnd('late')).toMatchObject({ status: 'CLOSED', generation: 1, redrives: 1 });
});

test('an order whose creation was killed before anything was sent is started again by the sweep', async () => {
  let kills = 0;
  world.wrappers.invokeWrapper = async (functionName, _event, invoke) =>
    functionName.endsWith('create-order') && ++kills <= 2 ? KILLED : invoke();
  await world.submit('killed');
  for (const minutes of [6, 11]) {
    await world.pass(minutes * 60_000);
    expect(await runSweep(world)).toMatchObject({ resumed: 1 });
  }
  expect(await world.untilEnd('killed')).toMatchObject({ status: 'CLOSED', generation: 3 });
  expect(simulator.calls().filter(creating).length).toBeGreaterThan(0);
});

test.each([
  ['failed', 'retry'],
  ['stopped', 'New execution'],
])('an order that the release before left %s goes on with %s', async (what, how) => {
  const orderRef = `left-${what}`;
  if (what === 'failed') inject(simulator, 'before', uploading, answer(400));
  await world.submitUntil(orderRef, ({ waitingFor, status }) => waitingFor === 'operator' || status === 'IN_WORK', {
    ...(what === 'stopped' && { scenario: 'slow-processing' }),
  });
  await (what === 'failed' ? world.untilEnd(orderRef) : world.abort(orderRef));
  await world.rewrite(orderRef, { redrives: undefined, retriedIn: 1 });
  await (how === 'retry' ? done('retry', orderRef) : startNew(orderRef));
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 2 });
});
