import { DescribeStateMachineForExecutionCommand } from '@aws-sdk/client-sfn';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { nextRelease } from '../../helpers/assemblies.ts';
import { decide, untilOffers } from '../../helpers/offers.ts';
import { openWorld, rareSweeps, submit } from '../../helpers/open-world.ts';
import { orderAtService, submitToSign, waitsForSignatures } from '../../helpers/signatures.ts';

const HOUR = 3_600;
const world = await openWorld({
  isNew: true,
  ordersGoOn: true,
  environment: { WAIT_RECHECK_HOURS: '1' },
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

/** How an order comes into each state in which a deployment may find it. */
const STATES: Record<string, { at: string; submit(orderRef: string): Promise<unknown> }> = {
  decision: { at: '"Offers available" (waits for a task token)', submit: (orderRef) => untilOffers(world, orderRef) },
  // The execution of the release before, whose function is gone, takes this decision.
  decided: { at: '"Offers available" (waits for a task token)', submit: (orderRef) => untilOffers(world, orderRef) },
  approved: {
    at: '"Offers approved"',
    submit: async (orderRef) => {
      simulator.settings.bankSeconds = 2 * HOUR;
      await submit(world, orderRef);
      await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
      Object.assign(simulator.settings, usual);
    },
  },
  signatures: {
    at: '"Sign documents" (waits for a task token)',
    submit: (orderRef) => submitToSign(world, orderRef),
  },
  // The next reads bring the request for signatures.
  soon: {
    at: '"In work"',
    submit: async (orderRef) => {
      await submit(world, orderRef);
      await world.until(orderRef, ({ status }) => status === 'WAITING_FOR_DOCUMENTS', { signing: false });
    },
  },
};

/** Decides and signs as people do after a deployment, and lets time pass until every order is closed. */
async function untilClosed(name: string, states: readonly string[]): Promise<void> {
  // For hours the reads bring nothing, so there are few of them.
  simulator.settings.pollAfterSeconds = HOUR / 12;
  if (states.includes('decided')) await decide(world, `${name}-decided`, await choicesOf(`${name}-decided`));
  const waitsAgain = (order: OrderItem) => order.generation === 2 && waitsForSignatures(order);
  const again = await world.until(`${name}-signatures`, waitsAgain, { signing: false });
  expect(again.release).toBe(releaseNow());
  if (!states.includes('decision')) return;
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

const IN_FLIGHT = ['decision', 'approved', 'signatures'];

describe.each([
  { name: 'forward', to: 'second', states: Object.keys(STATES), from: 'In work', into: 'Service at work' },
  { name: 'back', to: 'first', states: ['signatures'], from: 'Service at work', into: 'In work' },
] as const)(
  'a deployment of the $to release while orders are in flight ($name)',
  ({ name, to, states: listed, from, into }) => {
    const states: readonly string[] = listed;
    const orderRefs = states.map((state) => `${name}-${state}`);
    let before: string | undefined;
    let created = 0;
    let soon: OrderItem;
    let asked: (string | undefined)[] = [];
    let kept: (string | undefined)[] = [];
    const since = () => Promise.all(orderRefs.map(async (orderRef) => (await world.record(orderRef))?.awaited?.since));

    beforeAll(async () => {
      created = simulator.orders().length;
      await world.aws.deploy(releases[to === 'first' ? 'second' : 'first']);
      for (const state of states) await STATES[state]?.submit(`${name}-${state}`);
      before = releaseNow();
      asked = await since();
      expect(orderRefs.map(positionOf)).toEqual(states.map((state) => STATES[state]?.at));
      await world.aws.deploy(releases[to]);
      expect(releaseNow()).not.toBe(before);
      const waits = ({ waitingFor }: OrderItem) => waitingFor !== 'service';
      if (states.includes('soon')) soon = await world.until(`${name}-soon`, waits, { signing: false });
      await untilClosed(name, states);
      kept = await since();
      for (const orderRef of orderRefs) await world.untilEnd(orderRef);
      Object.assign(simulator.settings, usual);
    }, 300_000);

    test.runIf(states.includes('soon'))('an execution reaches its next wait with the code of its own release', () => {
      expect(soon).toMatchObject({ waitingFor: 'signatures', generation: 1, release: before });
    });

    test.runIf(states.includes('decided'))('an execution that wants a removed function starts again', async () => {
      const executions = await world.executions(`${name}-decided`);
      expect(executions.map(({ status }) => status)).toEqual(['FAILED', 'SUCCEEDED']);
      const [ended] = await world.told(`${name}-decided`, 'Execution ended');
      expect(ended).toMatchObject({ error: 'Lambda.ResourceNotFoundException' });
    });

    test('every order closes, and its last execution runs the new release', async () => {
      for (const [position, state] of states.entries())
        if (['decision', 'signatures'].includes(state)) expect(kept[position]).toBe(asked[position]);
      for (const orderRef of orderRefs) {
        expect(await world.record(orderRef), orderRef).toMatchObject({ status: 'CLOSED', release: releaseNow() });
        const definition = await definitionOfLast(orderRef);
        expect(definition).toContain(`"${into}"`);
        expect(definition).not.toContain(`"${from}"`);
      }
    });

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

    test('an order in flight is handed over once, at a read', async () => {
      for (const state of states.filter((one) => IN_FLIGHT.includes(one))) {
        expect(await told(`${name}-${state}`, 'Continues in another release'), state).toBe(1);
        const statuses = (await world.executions(`${name}-${state}`)).map(({ status }) => status);
        expect(statuses, state).toEqual(['SUCCEEDED', 'SUCCEEDED']);
      }
    });
  },
);
