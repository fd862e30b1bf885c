import { paginateGetExecutionHistory, paginateListExecutions } from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import { stageSettings } from '../../../infra/stages.ts';
import { OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const HISTORY_LIMIT = 25_000;
const { readsPerExecution } = stageSettings('local');

/** Seconds that the service works, which is the number of polls. POLLS=604800 tests a week (see docs/performance.md). */
const polls = Number(process.env.POLLS ?? 3.2 * readsPerExecution);
const MOST_MILLISECONDS_PER_POLL = 60;

// Every wait stays a second, because this test is about many reads.
const world = await openWorld({
  settings: { ...OFFERS_AT_ONCE, pollAfterSeconds: 1, slowProcessingSeconds: polls },
  environment: { POLL_GROWTH: '0' },
});
const client = world.stepFunctions;

/** Lets time pass until the order is CLOSED. It asks the simulator for the status, because reading the record is slow. */
async function followToEnd(orderRef: string): Promise<void> {
  await world.aws.runUntil(async () => {
    const [order] = world.simulator.orders();
    return order?.status === 'CLOSED';
  });
  await world.untilEnd(orderRef);
}

async function executions() {
  const pages = paginateListExecutions({ client }, { stateMachineArn: world.outputs.OrderStateMachine });
  return (await Array.fromAsync(pages)).flatMap((page) => page.executions ?? []).reverse();
}

async function eventsOf(executionArn: string | undefined): Promise<number> {
  let count = 0;
  const pages = paginateGetExecutionHistory({ client, pageSize: 1000 }, { executionArn, includeExecutionData: false });
  for await (const { events = [] } of pages) count += events.length;
  return count;
}

test(
  'an order that is polled every second needs more than three executions and ends CLOSED',
  async () => {
    await submit(world, 'long', { scenario: 'slow-processing' });
    await followToEnd('long');
    const followed = await executions();
    expect(followed.length).toBeGreaterThan(3);
    expect(followed.map(({ name, status }) => [name, status])).toEqual(
      followed.map((_execution, index) => [`long-${index + 1}`, 'SUCCEEDED']),
    );
    for (const { executionArn } of followed) expect(await eventsOf(executionArn)).toBeLessThan(HISTORY_LIMIT);
    expect(await world.record('long')).toMatchObject({ status: 'CLOSED', generation: followed.length });
    const calls = await world.calls('long');
    const reads = calls.filter(({ method, route }) => method === 'GET' && route === '/v1/orders/{orderId}');
    expect(reads.length).toBeGreaterThan(3 * readsPerExecution);
    expect(reads.filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
    expect(calls.filter(({ method, route }) => method === 'POST' && route === '/v1/orders')).toHaveLength(1);
  },
  polls * MOST_MILLISECONDS_PER_POLL,
);
