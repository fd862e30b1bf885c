import { StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { show } from '../../../commands/show.ts';
import { timeouts } from '../../../infra/timeouts.ts';
import { defaultOffers } from '../../../packages/order-simulator/offers.ts';
import {
  accepting,
  answer,
  confirming,
  type Fault,
  inject,
  loseAnswer,
  loseRequest,
  type Matches,
  reading,
  uploading,
} from '../../helpers/faults.ts';
import { MAIN_PATH, NO_OFFERS, NO_SIGNATURES, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { connectionTo } from '../../helpers/operator.ts';
import { submit } from '../../helpers/packages.ts';

const POLL_SECONDS = 30;
const usual = { ...MAIN_PATH, ...NO_OFFERS, pollAfterSeconds: POLL_SECONDS, bankSeconds: 1, slowProcessingSeconds: 60 };

let killed: AbortController | undefined;
let failing: string | undefined;
let callsBefore = 0;

/** Tests can kill invocations halfway, and fail uploads to one S3 key. */
const world = await openWorld({
  settings: usual,
  invokeWrapper: (_functionName, _event, invoke) => invoke(undefined, killed?.signal),
  requestWrapper: async ({ operation, path }) =>
    failing && operation === 'PUT' && path.includes(failing) ? { status: 500, code: 'InternalError' } : undefined,
});

beforeEach(() => {
  killed = undefined;
  failing = undefined;
  callsBefore = world.simulator.calls().length;
  Object.assign(world.simulator.settings, usual);
});

afterEach(() => {
  const calls = world.simulator.calls().slice(callsBefore);
  expect(calls.filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
});

const statuses = async (orderRef: string, matches: Matches) =>
  (await world.calls(orderRef)).filter(matches).map(({ status }) => status);

/** For a confirm, the bank is slow, so the outcome of one is known before the next one can be sent. */
function letBankWork(name: string): void {
  const slow = { ...OFFERS_AT_ONCE, offers: defaultOffers, bankSeconds: 300 };
  if (name === 'confirm') Object.assign(world.simulator.settings, slow);
}

/** The service does the work, but a gateway answers 503. */
const misreport503: Fault = async (_call, _request, reply) => {
  reply.code(503);
};

test.each([
  ['accept', accepting],
  ['confirm', confirming],
])('the read that settles a lost answer to %s is no earlier than pollAfterSeconds', async (name, matches) => {
  inject(world.simulator, 'after', matches, loseAnswer);
  letBankWork(name);
  await submit(world, `lost-${name}`);
  expect(await world.untilEnd(`lost-${name}`)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await statuses(`lost-${name}`, matches)).toEqual([202, 202]);
});

test.each([
  ['accept', accepting],
  ['confirm', confirming],
])(
  'a call to %s that was done but answered 503 is settled by reads after its repeat is refused',
  async (name, matches) => {
    inject(world.simulator, 'after', matches, misreport503);
    letBankWork(name);
    await submit(world, `lied-${name}`);
    expect(await world.untilEnd(`lied-${name}`)).toMatchObject({ status: 'CLOSED', generation: 1 });
    expect(await statuses(`lied-${name}`, matches)).toEqual([503, 409, 202]);
  },
);

test('the second of two reads that settle lost accepts is no earlier than pollAfterSeconds', async () => {
  inject(world.simulator, 'before', accepting, loseRequest, 2);
  await submit(world, 'lost-twice');
  expect(await world.untilEnd('lost-twice')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await statuses('lost-twice', accepting)).toHaveLength(4);
});

test('after a retry, the read that settles a lost confirm is no earlier than pollAfterSeconds', async () => {
  inject(world.simulator, 'before', confirming, answer(400));
  letBankWork('confirm');
  await submit(world, 'retried');
  expect(await world.untilEnd('retried')).toMatchObject({ failure: { error: 'Rejected' } });
  inject(world.simulator, 'after', confirming, loseAnswer);
  await world.startNext('retried');
  expect(await world.untilEnd('retried')).toMatchObject({ status: 'CLOSED', generation: 2 });
  expect(await statuses('retried', confirming)).toEqual([400, 202, 202]);
});

test('an execution that takes over an order right after a read waits before it reads', async () => {
  const reads = () => world.simulator.calls().slice(callsBefore).filter(reading).length;
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  await submit(world, 'taken-over', { scenario: 'slow-processing' });
  // The second read brought nothing new, so the record does not mention it.
  await world.until('taken-over', () => reads() === 2);
  await world.abort('taken-over');
  await world.startNext('taken-over');
  expect(await world.untilEnd('taken-over')).toMatchObject({ status: 'CLOSED', generation: 2 });
  // A function of the aborted execution may still be reading, for as long as a call may take.
  const [, second, third] = (await world.calls('taken-over')).filter(reading);
  expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual((POLL_SECONDS + timeouts.callSeconds) * 1000);
});

/** Aborts the order's execution and starts the next one, which claims the order before a call of the old one is answered. */
async function takeOver(orderRef: string): Promise<void> {
  const { execution } = (await world.record(orderRef)) ?? {};
  const input = JSON.stringify({ orderRef, generation: 2 });
  const next = { stateMachineArn: world.outputs.OrderStateMachine, name: `${orderRef}-2`, input };
  await world.stepFunctions.send(new StopExecutionCommand({ executionArn: execution }));
  await world.stepFunctions.send(new StartExecutionCommand(next));
  await vi.waitFor(async () => expect(await world.record(orderRef)).toMatchObject({ generation: 2 }), 30_000);
}

test.each([
  ['a read', reading, OFFERS_AT_ONCE],
  ['an accept', accepting, NO_SIGNATURES],
])(
  'a Retry-After that the service sends to %s of an aborted execution is respected by the next execution',
  async (name, matches, way) => {
    Object.assign(world.simulator.settings, way);
    const orderRef = `left-alone-${name.split(' ')[1]}`;
    inject(world.simulator, 'before', matches, async (call, request, reply) => {
      await takeOver(orderRef);
      await answer(429, undefined, { 'retry-after': '600' })(call, request, reply);
    });
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 2 });
    const [first, second] = (await world.calls(orderRef)).filter(matches);
    expect(first).toMatchObject({ status: 429 });
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(600_000);
  },
);

test('an execution does not read the order while a function of the aborted one is still at its first read', async () => {
  inject(world.simulator, 'after', reading, () => takeOver('overlapped'));
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  await submit(world, 'overlapped');
  expect(await world.untilEnd('overlapped')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test('a read whose result could not be stored is repeated no earlier than pollAfterSeconds', async () => {
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  await submit(world, 'not-kept', { scenario: 'slow-processing' });
  failing = 'not-kept/snapshot.json';
  await world.until('not-kept', ({ nextReadAt }) => nextReadAt !== undefined);
  expect(await world.record('not-kept')).toMatchObject({ status: 'RECEIVED' });
  failing = undefined;
  expect(await world.untilEnd('not-kept')).toMatchObject({ status: 'CLOSED', generation: 1 });
});

test.each([
  ['upload', uploading],
  ['accept', accepting],
])('a function that is killed during %s is run again by the state machine', async (name, matches) => {
  const controller = new AbortController();
  killed = controller;
  inject(world.simulator, 'after', matches, async (_call, request) => {
    controller.abort();
    request.raw.socket.destroy();
  });
  await submit(world, `killed-${name}`);
  expect(await world.untilEnd(`killed-${name}`)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await statuses(`killed-${name}`, matches)).toHaveLength(2);
  const [execution] = await world.executions(`killed-${name}`);
  const errors = (await world.history(execution?.executionArn)).flatMap((event) => event.taskFailedEventDetails ?? []);
  expect(errors[0]).toMatchObject({ error: 'Runtime.ExitError' });
});

test('reads are exactly pollAfterSeconds apart', async () => {
  await submit(world, 'steady', { scenario: 'slow-processing' });
  await world.untilEnd('steady');
  const reads = (await world.calls('steady')).filter(reading);
  const between = reads.slice(1).map(({ at }, index) => (at - (reads[index]?.at ?? 0)) / 1000);
  expect(new Set(between)).toEqual(new Set([POLL_SECONDS]));
});

test('a pollAfterSeconds of two days is respected and shown in record, log, timeline and show, although the read brings nothing new', async () => {
  const { settings } = world.simulator;
  const before = world.aws.logs().length;
  Object.assign(settings, { ...OFFERS_AT_ONCE, slowProcessingSeconds: 400_000 });
  await submit(world, 'two-days', { scenario: 'slow-processing' });
  await world.until('two-days', ({ status }) => status === 'IN_WORK');
  settings.pollAfterSeconds = 172_800;
  const { nextReadAt = '' } = await world.until('two-days', ({ pollAfterSeconds }) => pollAfterSeconds === 172_800);
  expect(Date.parse(nextReadAt) - world.clock.now()).toBeGreaterThan(86_400_000);
  const timeline = await world.items('two-days');
  expect(timeline.filter(({ what }) => what === 'The order service asks for a long wait')).toMatchObject([
    { nextReadAt },
  ]);
  const logged = world.aws.logs().slice(before);
  expect(logged.some(({ line }) => line.includes('pollAfterSeconds is 172800; waiting 172800 s'))).toBe(true);
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
  const { lines, json } = await show(connectionTo(world), 'two-days').finally(() => vi.useRealTimers());
  expect(lines.join('\n')).toMatch(/Next read +\d{4}-.*, as the order service asked/);
  expect(json).toMatchObject({ nextReadAt });
  expect(await world.untilEnd('two-days')).toMatchObject({ status: 'CLOSED' });
  expect((await statuses('two-days', reading)).length).toBeLessThan(20);
  expect((await world.calls('two-days')).filter(({ earlyBySeconds }) => earlyBySeconds)).toEqual([]);
});
