import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { checkOrder, type Violation } from './checks/checks.ts';
import { eventProblems } from './checks/event-checks.ts';
import type { Evidence, OrderItems } from './checks/evidence.ts';
import { statusPageProblems } from './checks/status-page-checks.ts';
import { isBadDay } from './faults/bad-day.ts';
import { replayDeadLetters } from './people/dead-letters.ts';
import { PEOPLES_KEY } from './people/peoples-key.ts';
import type { OrderPlan } from './plan/order-plan.ts';
import { References } from './world/references.ts';
import type { SimulatedWorld } from './world/simulated-world.ts';
import { readStaging } from './world/staging.ts';
import { INTERVAL, INTERVAL_ON_BAD_DAY, Sweeps } from './world/sweeps.ts';
import { Tally } from './world/tally.ts';
import { openSimulatedWorld, type WorldOptions } from './world/world.ts';

export interface BatchOptions extends WorldOptions {
  plans: readonly OrderPlan[];
  /** Milliseconds of virtual time from one sweep to the next. Default: an hour, or a few minutes on a bad day. */
  sweepInterval?: number;
}

/** Counts by name, and all violations. */
export interface BatchResult {
  injected: Record<string, number>;
  operated: Record<string, number>;
  outcomes: Record<string, number>;
  calls: Record<string, number>;
  violations: Violation[];
}

/**
 * Orders start in waves, so that every core is busy and an outage affects only some of the orders. `WAVE` orders start together,
 * and the next wave starts `APART` virtual seconds later.
 */
const WAVE = 20;
const APART = 30;
/** Virtual milliseconds. It is longer than every deadline and everything that an operator may do. */
const LONGEST = 1_000 * 86_400_000;

/** Drives a batch of orders through their planned faults until nothing happens any more, then checks the results. */
export async function runBatch({ plans: planned, sweepInterval, ...options }: BatchOptions): Promise<BatchResult> {
  const plans = new Map(planned.map((plan) => [plan.orderRef, plan]));
  const world = await openSimulatedWorld(plans, options);
  try {
    begin(world);
    await runToTheEnd(world, sweepInterval ?? (isBadDay(plans) ? INTERVAL_ON_BAD_DAY : INTERVAL));
    return await judge(world);
  } finally {
    await world.close();
  }
}

function begin({ plans, partner, operator, schedule }: SimulatedWorld): void {
  for (const [position, plan] of [...plans.values()].entries()) {
    const start = plan.badDay?.startsAfter ?? Math.floor(position / WAVE) * APART;
    partner.submit(plan, start);
    if (plan.abort) schedule.later(start + plan.abort.after, () => operator.abort(plan));
  }
}

/** After this many replays a failing event stays in the dead-letter queue, and its order stays as it is. */
const MOST_REPLAYS = 5;

/** Lets time pass until no timer is left and no order is to be started again. Then it replays the events in the dead-letter queue, and continues. */
async function runToTheEnd(world: SimulatedWorld, sweepInterval: number): Promise<void> {
  const { aws, clock, schedule, operated } = world;
  const limit = clock.now() + LONGEST;
  const sweeps = new Sweeps(aws, clock, sweepInterval);
  for (let replays = 0; replays <= MOST_REPLAYS; ) {
    await aws.settle();
    await schedule.settle();
    await aws.settle();
    const next = clock.nextTimerAt();
    if (next !== undefined && next < limit) {
      if (!(await sweeps.runIfDue(next))) clock.advanceTo(next);
      continue;
    }
    if (await sweeps.runIfNeeded()) continue;
    const replayed = await replayDeadLetters(aws);
    if (replayed === 0) return;
    replays += 1;
    operated.add('event replayed from the dead-letter queue', replayed);
  }
}

async function judge(world: SimulatedWorld): Promise<BatchResult> {
  const { plans, injected, operated } = world;
  const evidence = await gatherEvidence(world);
  const outcomes = new Tally();
  const violations: Violation[] = [];
  for (const plan of plans.values()) {
    const checked = checkOrder(evidence(plan));
    outcomes.add(checked.outcome);
    violations.push(...checked.violations);
  }
  return {
    injected: injected.toJSON(),
    operated: operated.toJSON(),
    outcomes: outcomes.toJSON(),
    calls: countCalls(world),
    violations,
  };
}

async function gatherEvidence(world: SimulatedWorld): Promise<(plan: OrderPlan) => Evidence> {
  const { aws, simulator, partner, operator, witness, eventWitness, kmsCertificate } = world;
  const records = await readRecords(world);
  const staging = await readStaging(world);
  const orders = Map.groupBy(simulator.orders(), ({ questionnaire }) => References.of(questionnaire));
  const calls = Map.groupBy(simulator.calls(), ({ orderId }) => orderId);
  const running = aws.describeRunning().join('\n');
  return (plan) => {
    const { orderRef } = plan;
    const ours = orders.get(orderRef) ?? [];
    const items = records.get(orderRef) ?? [];
    const ofEvents = [
      ...eventWitness.problems(orderRef),
      ...eventProblems(items, eventWitness.told(orderRef)),
      ...statusPageProblems(items, staging.status.get(orderRef)),
    ];
    return {
      plan,
      acts: partner.acts(orderRef),
      retries: operator.retries(orderRef),
      seen: [...witness.problems(orderRef), ...ofEvents],
      history: witness.history(orderRef),
      orders: ours,
      items,
      running: running.includes(`${orderRef}-`),
      rejected: staging.rejected.has(orderRef),
      choicesPage: staging.choices.get(orderRef),
      kmsCertificate,
      confirmedStatus: simulator.settings.confirmedStatus,
      calls: ours.flatMap(({ orderId }) => calls.get(orderId) ?? []),
    };
  };
}

async function readRecords({ aws }: SimulatedWorld): Promise<Map<string, OrderItems>> {
  const settings = { ...aws.clientSettings, credentials: PEOPLES_KEY };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
  const TableName = aws.outputs['LoanOrders-local']?.OrderTable;
  const records = new Map<string, OrderItems>();
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
    for (const item of Items as OrderItems) {
      records.set(item.orderRef, [...(records.get(item.orderRef) ?? []), item]);
    }
  }
  return records;
}

function countCalls({ simulator, calls }: SimulatedWorld): Record<string, number> {
  for (const { method, route } of simulator.calls()) calls.add(`order service: ${method} ${route ?? '(unknown)'}`);
  return calls.toJSON();
}
