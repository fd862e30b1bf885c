import { GetObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { paginateGetExecutionHistory, paginateListExecutions } from '@aws-sdk/client-sfn';
import { ListMessageMoveTasksCommand, SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { QUEUED } from '../../commands/doctor/stage-checks.ts';
import type { StatusPage } from '../../core/staging/pages.ts';
import type { CheckedOrder, ChoicesPage } from './checks/checked-order.ts';
import { checkOrder, type Violation } from './checks/checks.ts';
import { callDown, isBadDay } from './faults/bad-day.ts';
import { itemsOf, restoreTable } from './faults/restored-table.ts';
import { callOf } from './faults/service-faults.ts';
import type { OrderPlan } from './plan/order-plan.ts';
import { isRestoredDay } from './plan/plan.ts';
import { referenceIn } from './world/references.ts';
import { INTERVAL, INTERVAL_ON_BAD_DAY, Sweeps } from './world/sweeps.ts';
import { Tally } from './world/tally.ts';
import { type OpenWorld, openSimulatedWorld, type WorldOptions } from './world/world.ts';

export interface BatchOptions extends WorldOptions {
  plans: readonly OrderPlan[];
}

export type BatchResult = Record<'injected' | 'operated' | 'outcomes', Record<string, number>> & {
  violations: Violation[];
  work?: Record<string, number>;
};

/** Every `APART` virtual seconds `WAVE` orders start, so that an outage affects only some of the orders. */
const WAVE = 20;
const APART = 30;
/** Virtual milliseconds. It is longer than every deadline and everything that an operator may do. */
const LONGEST = 1_000 * 86_400_000;

export async function runBatch({ plans: planned, ...options }: BatchOptions): Promise<BatchResult> {
  const plans = new Map(planned.map((plan) => [plan.orderRef, plan]));
  const world = await openSimulatedWorld(plans, options);
  try {
    begin(world);
    if (isRestoredDay(plans)) restoreTable(world);
    await runToTheEnd(world, isBadDay(plans) || callDown(plans) ? INTERVAL_ON_BAD_DAY : INTERVAL);
    return await judge(world);
  } finally {
    await world.close();
  }
}

function begin({ plans, partner, operator, schedule }: OpenWorld): void {
  for (const [position, plan] of [...plans.values()].entries()) {
    const start = (plan.badDay ?? plan.restored)?.startsAfter ?? Math.floor(position / WAVE) * APART;
    partner.submit(plan, start);
    if (plan.abort) schedule.later(start + plan.abort.after, () => operator.abort(plan));
  }
}

/** After this many replays a failing event stays in the dead-letter queue, and its order stays as it is. */
const MOST_REPLAYS = 5;

/** Lets time pass until no timer is left and no order is to be started again. Then it moves the events in the dead-letter queues back, and continues. */
async function runToTheEnd(world: OpenWorld, sweepInterval: number): Promise<void> {
  const { aws, clock, schedule, operated } = world;
  const limit = clock.now() + LONGEST;
  const sweeps = new Sweeps(world, sweepInterval);
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
    const replayed = await redrive(world);
    if (replayed === 0) return;
    replays += 1;
    operated.add('event replayed from the dead-letter queue', replayed);
  }
}

/** Moves what is in the dead-letter queues back, as docs/operations.md says, and counts it. */
async function redrive({ aws, outputs }: OpenWorld): Promise<number> {
  const sqs = new SQSClient(aws.clientSettings);
  const arnOf = (url = '') => `arn:aws:sqs:us-east-1:000000000000:${url.split('/').at(-1)}`;
  let moved = 0;
  for (const name of Object.values(QUEUED)) {
    const SourceArn = arnOf(outputs[`${name}DeadLetterQueueUrl`]);
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: arnOf(outputs[`${name}QueueUrl`]) }));
    const { Results = [] } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn }));
    moved += Results[0]?.ApproximateNumberOfMessagesMoved ?? 0;
  }
  return moved;
}

async function judge(world: OpenWorld): Promise<BatchResult> {
  const { plans, injected, operated } = world;
  const checkedOrder = await gatherOrders(world);
  const outcomes = new Tally();
  const violations: Violation[] = [];
  for (const plan of plans.values()) {
    const checked = checkOrder(checkedOrder(plan));
    outcomes.add(checked.outcome);
    violations.push(...checked.violations);
  }
  return {
    injected: injected.toJSON(),
    operated: operated.toJSON(),
    outcomes: outcomes.toJSON(),
    violations,
    ...(callDown(plans) && { work: await workOf(world) }),
  };
}

async function workOf({
  plans,
  simulator,
  stepFunctions: client,
  outputs,
}: OpenWorld): Promise<Record<string, number>> {
  const [work, down] = [new Tally(), callDown(plans)];
  const calls = simulator.calls().map(callOf);
  work.add('sends', calls.filter((call) => call === down).length);
  work.add('reads', calls.filter((call) => call === 'read').length);
  for await (const { executions = [] } of paginateListExecutions(
    { client },
    { stateMachineArn: outputs.OrderStateMachine },
  )) {
    work.add('executions', executions.length);
    for (const { executionArn } of executions) {
      for await (const { events = [] } of paginateGetExecutionHistory({ client }, { executionArn }))
        work.add('transitions', events.filter(({ stateEnteredEventDetails }) => stateEnteredEventDetails).length);
    }
  }
  return work.toJSON();
}

async function gatherOrders(world: OpenWorld): Promise<(plan: OrderPlan) => CheckedOrder> {
  const { aws, simulator, uploads, operator, witness, eventWitness, kmsCertificate } = world;
  const records = Map.groupBy(await itemsOf(world), ({ orderRef }) => orderRef);
  const staging = await readStaging(world);
  const orders = Map.groupBy(simulator.orders(), ({ questionnaire }) => referenceIn(questionnaire));
  const calls = Map.groupBy(simulator.calls(), ({ orderId }) => orderId);
  const running = aws.describeRunning().join('\n');
  return (plan) => {
    const { orderRef } = plan;
    const ours = orders.get(orderRef) ?? [];
    const items = records.get(orderRef) ?? [];
    return {
      plan,
      acts: uploads.acts(orderRef),
      retries: operator.retries(orderRef),
      over: operator.over(orderRef),
      seen: [...witness.problems(orderRef), ...eventWitness.problems(orderRef, items)],
      history: witness.history(orderRef),
      orders: ours,
      items,
      running: running.includes(`${orderRef}-`),
      rejected: staging.rejected.has(orderRef),
      choicesPage: staging.choices.get(orderRef),
      statusPage: staging.status.get(orderRef),
      kmsCertificate,
      confirmedStatus: simulator.settings.confirmedStatus,
      calls: ours.flatMap(({ orderId }) => calls.get(orderId) ?? []),
    };
  };
}

/** What staging shows: the orders whose package was rejected, and the pages of each order. */
async function readStaging({ s3: client, outputs }: OpenWorld) {
  const Bucket = outputs.StagingBucket;
  const rejected = new Set<string>();
  const pages = { 'choices.json': new Map<string, ChoicesPage>(), 'status.json': new Map<string, StatusPage>() };
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    for (const { Key = '' } of Contents) {
      const [, ofPackage] = /^rejected\/orders\/([^/]+)\/order\.json\//.exec(Key) ?? [];
      if (ofPackage !== undefined) rejected.add(ofPackage);
      const [, orderRef, name] = /^orders\/([^/]+)\/(choices\.json|status\.json)$/.exec(Key) ?? [];
      if (orderRef === undefined) continue;
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      pages[name as keyof typeof pages].set(orderRef, JSON.parse((await Body?.transformToString()) ?? ''));
    }
  }
  return { rejected, choices: pages['choices.json'], status: pages['status.json'] };
}

/** In a process of its own, this runs batches one after the other. The parent sends the options of each and gets its result. */
if (import.meta.main) {
  // The parent process has disconnected or ended.
  process.once('disconnect', () => process.exit());
  process.on('message', async (options: BatchOptions) => process.send?.(await runBatch(options)));
}
