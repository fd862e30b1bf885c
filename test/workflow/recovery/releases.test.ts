import { DescribeStateMachineForExecutionCommand, RedriveExecutionCommand } from '@aws-sdk/client-sfn';
import { expect, inject, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { loanOrders } from '../../helpers/command-line.ts';
import { choicesOf, decide, untilOffers } from '../../helpers/offers.ts';
import { MAIN_PATH, openWorld, rareSweeps, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { nextRelease, renamedRelease } from '../../helpers/releases.ts';
import { orderAtService } from '../../helpers/signatures.ts';
import { waitsForSignatures } from '../../helpers/world.ts';

const HOUR = 3_600;
const world = await openWorld({
  isNew: true,
  settings: SIGNATURES_AT_ONCE,
  ordersGoOn: true,
  deliveryWrapper: rareSweeps(20),
});
const { simulator } = world;
const releaseNow = () => world.aws.outputs['LoanOrders-local']?.Release;
const usual = { ...simulator.settings };

const positionOf = (orderRef: string) =>
  world.aws
    .describeRunning()
    .find((line) => line.startsWith(`${orderRef}-`))
    ?.replace(/^.* is at /, '');

const STATES: Record<string, { at: string; submit(orderRef: string): Promise<unknown> }> = {
  decision: { at: '"Offers available" (waits for a task token)', submit: (orderRef) => untilOffers(world, orderRef) },
  // The execution of the release before, whose function is gone, takes this decision.
  decided: { at: '"Offers available" (waits for a task token)', submit: (orderRef) => untilOffers(world, orderRef) },
  approved: {
    at: '"Offers approved"',
    submit: async (orderRef) => {
      simulator.settings.bankSeconds = 1.5 * HOUR;
      await world.submitUntil(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
      Object.assign(simulator.settings, usual);
    },
  },
  signatures: { at: '"Sign documents" (waits for a task token)', submit: (orderRef) => world.submitToSign(orderRef) },
  // The next reads bring the request for signatures. It alone has documents.
  soon: {
    at: '"In work"',
    submit: async (orderRef) => {
      Object.assign(simulator.settings, MAIN_PATH);
      await world.submitUntil(orderRef, ({ status }) => status === 'WAITING_FOR_DOCUMENTS', {}, { signing: false });
      Object.assign(simulator.settings, usual);
    },
  },
};

async function untilClosed(name: string, states: readonly string[]): Promise<void> {
  // For hours the reads bring nothing, so there are few of them.
  simulator.settings.pollAfterSeconds = HOUR / 12;
  const decideAll = async (orderRef: string) =>
    decide(world, orderRef, choicesOf(await orderAtService(world, orderRef)));
  if (states.includes('decided')) await decideAll(`${name}-decided`);
  const waitsAgain = (order: OrderItem) => order.generation === 2 && waitsForSignatures(order);
  const again = await world.until(`${name}-signatures`, waitsAgain, { signing: false });
  expect(again.release).toBe(releaseNow());
  if (!states.includes('decision')) return;
  await world.until(`${name}-decision`, ({ generation, waitingFor }) => generation === 2 && waitingFor === 'decision');
  await decideAll(`${name}-decision`);
}

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

const first = inject('assemblyDirectory');
const IN_FLIGHT = ['decision', 'approved', 'signatures'];

interface Deployment {
  from: string;
  to: string;
  states: readonly string[];
  /** The name of a state in the old release and in the new one. */
  names: [string, string];
}

async function deployOver(name: string, { from, to, states, names }: Deployment): Promise<void> {
  const refOf = (state: string) => `${name}-${state}`;
  const sinceOf = (state: string) => world.record(refOf(state)).then((order) => order?.awaited?.since);
  const created = simulator.orders().length;
  await world.aws.deploy(from);
  for (const state of states) await STATES[state]?.submit(refOf(state));
  const asked = await Promise.all(states.map(sinceOf));
  expect(states.map(refOf).map(positionOf)).toEqual(states.map((state) => STATES[state]?.at));
  const before = releaseNow();
  await world.aws.deploy(to);
  if (states.includes('soon')) {
    // It reaches its next wait with the code of its own release.
    const soon = await world.until(refOf('soon'), ({ waitingFor }) => waitingFor !== 'service', { signing: false });
    expect(soon).toMatchObject({ waitingFor: 'signatures', generation: 1, release: before });
  }
  await untilClosed(name, states);
  for (const [position, state] of states.entries())
    if (['decision', 'signatures'].includes(state)) expect(await sinceOf(state)).toBe(asked[position]);
  for (const state of states) {
    await world.untilEnd(refOf(state));
    await expectAllOnce(refOf(state), state === 'soon' ? 2 : 1);
    await expectNewRelease(refOf(state), names);
    if (IN_FLIGHT.includes(state)) await expectHandedOverOnce(refOf(state));
  }
  Object.assign(simulator.settings, usual);
  expect(simulator.orders()).toHaveLength(created + states.length);
  expect(simulator.calls().filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
}

async function expectAllOnce(orderRef: string, accepts: number): Promise<void> {
  const changes = await changesOf(orderRef);
  const others = changes.filter((change) => change !== '/accept');
  expect(changes.length - others.length, orderRef).toBe(accepts);
  expect(new Set(others).size, `${orderRef}: ${others.join(', ')}`).toBe(others.length);
  expect(others.filter((change) => change.startsWith('/confirm')).length, orderRef).toBeGreaterThan(0);
  expect(await told(orderRef, 'Waits for signatures'), orderRef).toBe(1);
  expect(await told(orderRef, 'Waits for a decision on the offers'), orderRef).toBeLessThan(2);
}

async function expectNewRelease(orderRef: string, [before, after]: Deployment['names']): Promise<void> {
  expect(await world.record(orderRef), orderRef).toMatchObject({ status: 'CLOSED', release: releaseNow() });
  const definition = await definitionOfLast(orderRef);
  expect(definition).toContain(`"${after}"`);
  expect(definition).not.toContain(`"${before}"`);
}

async function expectHandedOverOnce(orderRef: string): Promise<void> {
  expect(await told(orderRef, 'Continues in another release'), orderRef).toBe(1);
  const statuses = (await world.executions(orderRef)).map(({ status }) => status);
  expect(statuses, orderRef).toEqual(['SUCCEEDED', 'SUCCEEDED']);
}

test('orders in flight move to a release that is deployed over theirs, and back, at their next reads, and do nothing twice', async () => {
  const second = nextRelease(releaseNow() ?? '', 'feedfacefeedface');
  const [old, renamed] = ['In work', 'Service at work'];
  world.aws.startSchedules();
  await deployOver('forward', { from: first, to: second, states: Object.keys(STATES), names: [old, renamed] });
  // An execution that wants a removed function starts again.
  const executions = await world.executions('forward-decided');
  expect(executions.map(({ status }) => status)).toEqual(['FAILED', 'SUCCEEDED']);
  const [ended] = await world.told('forward-decided', 'Execution ended');
  expect(ended).toMatchObject({ error: 'Lambda.ResourceNotFoundException' });
  await deployOver('back', { from: second, to: first, states: ['signatures'], names: [renamed, old] });
}, 180_000);

test('an execution that was stopped before a deployment is redriven after it, and hands its order over to the new release', async () => {
  const orderRef = 'redriven';
  simulator.settings.bankSeconds = 1.5 * HOUR;
  const { execution } = await world.submitUntil(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  Object.assign(simulator.settings, usual);
  await world.abort(orderRef);
  const before = releaseNow();
  await world.aws.deploy(nextRelease(before ?? '', 'facefeedfacefeed'));
  await world.stepFunctions.send(new RedriveExecutionCommand({ executionArn: execution }));
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 2, release: releaseNow() });
  expect(releaseNow()).not.toBe(before);
  await expectAllOnce(orderRef, 1);
}, 60_000);

test('deploy and doctor refuse a release that cannot read what the deployed one writes', async () => {
  await world.aws.deploy(renamedRelease('\\"recordFormat\\":1', '\\"recordFormat\\":9'));
  const sentence = 'Release 1.0.0 is deployed, with records of format 9; release 1.0.0 has format 1, and reads only';
  const refused = await loanOrders(['deploy', 'local'], world.aws.environment);
  const stderr = expect.stringMatching(`^${sentence}.*Nothing was deployed.\n$`);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr });
  const { stdout } = await loanOrders(['--endpoint', world.aws.endpoint, 'doctor']);
  expect(stdout).toContain(`!!  update           ${sentence}`);
});
