import { DescribeStateMachineForExecutionCommand } from '@aws-sdk/client-sfn';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { nextRelease } from '../../helpers/assemblies.ts';
import { answer, reading, removeFaults, type ServiceFault } from '../../helpers/faults.ts';
import { decide, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { rareSweeps } from '../../helpers/rare-sweeps.ts';
import { orderAtService, submitToSign, waitsForSignatures } from '../../helpers/signatures.ts';

const HOUR = 3_600;
const world = await openWorld({
  isNew: true,
  ordersGoOn: true,
  environment: { WAIT_RECHECK_HOURS: '1', STARTS_PER_SWEEP: '2' },
  deliveryWrapper: rareSweeps(),
});
const { simulator } = world;
const releaseNow = () => world.aws.outputs['LoanOrders-local']?.Release;
const usual = { ...simulator.settings };

const positionOf = (orderRef: string) =>
  world.aws
    .describeRunning()
    .find((line) => line.startsWith(`${orderRef}-`))
    ?.replace(/^.* is at /, '');

/** Submits an order that the service works on for long, with these settings, and lets time pass until it is created. */
async function untilCreated(orderRef: string, settings: Partial<typeof usual> = {}): Promise<string> {
  Object.assign(simulator.settings, settings);
  await submit(world, orderRef);
  const { orderId = '' } = await world.until(orderRef, ({ orderId }) => orderId !== undefined, { signing: false });
  Object.assign(simulator.settings, usual);
  return orderId;
}

/** Submits an order whose reads the service answers like this, and lets time pass until its execution has failed. */
async function untilFailed(orderRef: string, fault: ServiceFault): Promise<void> {
  const orderId = await untilCreated(orderRef);
  simulator.hooks.before = async (call, request, reply) => {
    if (reading(call) && call.orderId === orderId) await fault(call, request, reply);
  };
  await world.until(orderRef, ({ failure }) => failure !== undefined, { signing: false });
  removeFaults(simulator);
}

/** Orders in every state in which an order waits. Those that need no long wait come last. */
async function submitInEveryState(name: string): Promise<string[]> {
  const decisions = [`${name}-decision`, `${name}-decided`];
  for (const orderRef of decisions) await untilOffers(world, orderRef);
  await untilCreated(`${name}-approved`, { bankSeconds: 2 * HOUR });
  await world.until(`${name}-approved`, ({ status }) => status === 'OFFERS_APPROVED');
  await submitToSign(world, `${name}-signatures`);
  await untilFailed(`${name}-operator`, answer(403));
  await untilCreated(`${name}-in-work`, { processingSeconds: HOUR });
  await world.until(`${name}-in-work`, ({ status }) => status === 'IN_WORK', { signing: false });
  await untilFailed(`${name}-outage`, answer(503));
  await untilCreated(`${name}-first-wait`, { pollAfterSeconds: HOUR / 6 });
  await world.until(`${name}-first-wait`, ({ status }) => status === 'IN_WORK', { signing: false });
  await world.abort(`${name}-first-wait`);
  await world.startNext(`${name}-first-wait`);
  await submit(world, `${name}-soon`);
  // The next reads bring the request for signatures.
  await world.until(`${name}-soon`, ({ status }) => status === 'WAITING_FOR_DOCUMENTS', { signing: false });
  const others = ['approved', 'signatures', 'operator', 'in-work', 'outage', 'first-wait', 'soon'];
  return [...decisions, ...others.map((state) => `${name}-${state}`)];
}

/** The position of each running execution. The others wait for the sweep or for an operator. */
const EXPECTED = (inWork: string) => ({
  decision: '"Offers available" (waits for a task token)',
  decided: '"Offers available" (waits for a task token)',
  approved: '"Offers approved"',
  signatures: '"Sign documents" (waits for a task token)',
  'in-work': `"${inWork}"`,
  'first-wait': '"Wait before reading"',
  soon: `"${inWork}"`,
  outage: undefined,
  operator: undefined,
});

const positions = (name: string, orderRefs: string[]) =>
  Object.fromEntries(orderRefs.map((orderRef) => [orderRef.slice(name.length + 1), positionOf(orderRef)]));

/** Decides, signs and retries as people do after a deployment, and lets time pass until every order is closed. */
async function untilClosed(name: string): Promise<void> {
  // For hours the reads bring nothing, so there are few of them.
  simulator.settings.pollAfterSeconds = HOUR / 12;
  // The execution of the release before, whose function is gone, takes this decision.
  await decide(world, `${name}-decided`, await choicesOf(`${name}-decided`));
  const waitsAgain = (order: OrderItem) => order.generation === 2 && waitsForSignatures(order);
  const again = await world.until(`${name}-signatures`, waitsAgain, { signing: false });
  expect(again.release).toBe(releaseNow());
  await world.startNext(`${name}-operator`);
  await world.until(`${name}-decision`, ({ generation, waitingFor }) => generation === 2 && waitingFor === 'decision');
  await decide(world, `${name}-decision`, await choicesOf(`${name}-decision`));
}

/** A choice for each offer that can be taken. */
async function choicesOf(orderRef: string) {
  const offers = (await orderAtService(world, orderRef)).offers.filter(({ status }) => status === 'AVAILABLE');
  return offers.map(({ offerId, creditOptions: [first] }) => ({ offerId, code: first?.code }));
}

/** The calls that change something, without those that the service refused. */
async function changesOf(orderRef: string): Promise<string[]> {
  const calls = await world.calls(orderRef);
  const done = calls.filter(({ method, status = 0 }) => method !== 'GET' && status < 300);
  return done.map(({ path, requestBody }) => {
    const step = path.replace(/^.*\/orders\/[^/]+/, '');
    return requestBody?.kind === 'json' ? `${step} ${requestBody.text}` : step;
  });
}

const told = async (orderRef: string, what: string) => (await world.told(orderRef, what)).length;

async function definitionOfLast(orderRef: string): Promise<string> {
  const executionArn = (await world.executions(orderRef)).at(-1)?.executionArn;
  const { definition = '' } = await world.stepFunctions.send(
    new DescribeStateMachineForExecutionCommand({ executionArn }),
  );
  return definition;
}

const releases = { first: inject('assemblyDirectory'), second: '' };
beforeAll(async () => {
  releases.second = await nextRelease();
  world.aws.startSchedules();
}, 300_000);

describe.each([
  { name: 'forward', to: 'second', from: 'In work', into: 'Service at work' },
  { name: 'back', to: 'first', from: 'Service at work', into: 'In work' },
] as const)('a deployment of the $to release while orders are in every state ($name)', ({ name, to, from, into }) => {
  let orderRefs: string[] = [];
  let before: string | undefined;
  let created = 0;
  let asked: (string | undefined)[] = [];
  const since = () =>
    Promise.all(
      ['decision', 'signatures'].map(async (state) => (await world.record(`${name}-${state}`))?.awaited?.since),
    );

  beforeAll(async () => {
    created = simulator.orders().length;
    orderRefs = await submitInEveryState(name);
    before = releaseNow();
    asked = await since();
    expect(positions(name, orderRefs)).toEqual(EXPECTED(from));
    await world.aws.deploy(releases[to]);
  }, 300_000);

  test('an execution reaches its next wait with the definition and the code of its own release', async () => {
    const order = await world.until(`${name}-soon`, ({ waitingFor }) => waitingFor !== 'service', { signing: false });
    expect(order).toMatchObject({ waitingFor: 'signatures', generation: 1, release: before });
  });

  test('every order closes, and its last execution runs the new release', async () => {
    expect(releaseNow()).not.toBe(before);
    await untilClosed(name);
    expect(await since()).toEqual(asked);
    for (const orderRef of orderRefs) {
      expect(await world.untilEnd(orderRef), orderRef).toMatchObject({ status: 'CLOSED', release: releaseNow() });
      const definition = await definitionOfLast(orderRef);
      expect(definition).toContain(`"${into}"`);
      expect(definition).not.toContain(`"${from}"`);
    }
    Object.assign(simulator.settings, usual);
  }, 300_000);

  test('nothing was done twice, and nobody was asked twice', async () => {
    for (const orderRef of orderRefs) {
      const changes = await changesOf(orderRef);
      const accepts = changes.filter((change) => change === '/accept');
      const others = changes.filter((change) => change !== '/accept');
      expect(accepts, orderRef).toHaveLength(2);
      expect(new Set(others).size, `${orderRef}: ${others.join(', ')}`).toBe(others.length);
      expect(others.filter((change) => change.startsWith('/confirm')).length, orderRef).toBeGreaterThan(0);
      expect(await told(orderRef, 'Waits for signatures'), orderRef).toBe(1);
      expect(await told(orderRef, 'Waits for a decision on the offers'), orderRef).toBeLessThan(2);
    }
    expect(simulator.orders()).toHaveLength(created + orderRefs.length);
    expect(simulator.calls().filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
  });

  test('an execution that wants a removed function starts again by itself in the new release', async () => {
    const executions = await world.executions(`${name}-decided`);
    expect(executions.map(({ status }) => status)).toEqual(['FAILED', 'SUCCEEDED']);
    const [ended] = await world.told(`${name}-decided`, 'Execution ended');
    expect(ended).toMatchObject({ error: 'Lambda.ResourceNotFoundException' });
  });

  test('an order in flight is handed over once, at a read', async () => {
    for (const state of ['decision', 'approved', 'signatures', 'in-work', 'first-wait']) {
      expect(await told(`${name}-${state}`, 'Continues in another release'), state).toBe(1);
      const statuses = (await world.executions(`${name}-${state}`)).map(({ status }) => status);
      expect(statuses.slice(-2), state).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    }
  });
});
