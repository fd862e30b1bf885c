import { orderTable } from '../../core/aws/order-table.ts';
import { startExecution } from '../../core/aws/start-execution.ts';
import { endDismissed } from '../../core/driving/change-record.ts';
import { eventLog, lambdaHandler, logger } from '../../core/log.ts';
import { findPause } from '../../core/order/order-record.ts';
import { isPaused, keepPause, type StagePause } from '../../core/order/stage-pause.ts';
import { addToTimelineOnce } from '../../core/order/timeline.ts';
import {
  type DrivenOrder,
  examine,
  executionOf,
  ordersWaitingFor,
  runningExecutions,
} from '../../core/recovery/abandoned-order.ts';
import { isBehind, markToMove } from '../../core/recovery/move.ts';
import { recordExecutionEnd, recordRedrive } from '../../core/recovery/record-execution-end.ts';
import { removeDue } from '../../core/recovery/remove-due.ts';
import { sendLeftEvents } from '../../core/recovery/send-left-events.ts';
import { stackSettings, sweepSettings } from '../../core/settings.ts';
import { sweepMetrics } from './sweep-metrics.ts';

/** Whom orders wait for while an execution must drive them. An order that waits for an operator needs none. */
const DRIVEN = ['service', 'signatures', 'decision'] as const;
const EVERYBODY = [...DRIVEN, 'operator'] as const;

/**
 * Compares the orders that are not over with the executions that run. EventBridge Scheduler invokes this function every few
 * minutes, because events and steps may be lost: Step Functions tells of an end at best once. It records ends that nobody
 * recorded, and starts orders that an outage stopped, a limited number at a time so that a recovering service is not flooded.
 * Orders that run in another release are marked, so many at a time, too: their next read hands them over to this release.
 * While the stage is paused, nothing is started.
 * It ends orders that operators have dismissed, and sends events and publishes pages that the function which made a change left.
 * Then it removes data of orders that are over and that the stage no longer keeps. At its end it publishes what it counted.
 */
async function sweepOrders() {
  const pause = await findPause();
  if (stackSettings.isTableAdopted && isPaused(pause)) await keepPause(orderTable, pause);
  const metrics = sweepMetrics(EVERYBODY, pause);
  const running = await runningExecutions();
  const { ended, ...attended } = await attendAll(running, metrics, pause);
  const { sent, oldest } = await sendLeftEvents();
  const done = { ...attended, sent: sent + ended, ...(await removeDue()) };
  logger.info('Swept', { ...done });
  const { looked: _looked, ...findings } = done;
  metrics.publish(findings, oldest);
  return done;
}

/** Counts what was done: orders looked at, ends recorded, orders started again or first, marked for this release, and not looked at. */
async function attendAll(running: Running, metrics: ReturnType<typeof sweepMetrics>, pause: StagePause | undefined) {
  const done = { looked: 0, recorded: 0, resumed: 0, started: 0, marked: 0, redriven: 0, ended: 0, failed: 0 };
  const most = sweepSettings.mostStarts;
  const mostStarts = isPaused(pause) ? 0 : most;
  const count = async (order: DrivenOrder, act: () => Promise<Exclude<keyof typeof done, 'failed'> | undefined>) => {
    try {
      const what = await act();
      if (what) done[what] += 1;
    } catch (error) {
      // One order must not keep the others from being looked at.
      done.failed += 1;
      const { name } = error as Error;
      logger.error('The sweep could not look at an order', { orderRef: order.orderRef, error: name });
    }
  };
  for (const whom of DRIVEN) {
    for await (const order of ordersWaitingFor(whom)) {
      done.looked += 1;
      metrics.add(whom, order);
      await count(order, async () =>
        running.has(executionOf(order))
          ? ((await noteRedrive(order, running)) ?? (await moveOn(order, done.marked < most)))
          : await attend(order, done.resumed + done.started < mostStarts),
      );
    }
  }
  for await (const order of ordersWaitingFor('operator'))
    await count(order, () => attendStopped(order, running, metrics));
  return done;
}

type Running = Awaited<ReturnType<typeof runningExecutions>>;

/** Counts an order that waits for an operator, unless the operator has dismissed it, which ends it, or has redriven its execution. */
async function attendStopped(order: DrivenOrder, running: Running, metrics: ReturnType<typeof sweepMetrics>) {
  if (order.waitingFor === 'nobody' && (await endDismissed(order.orderRef))) return 'ended';
  const redriven = await noteRedrive(order, running);
  if (!redriven) metrics.add('operator', order);
  return redriven;
}

/** A person has redriven the execution of a stopped order, and no step of it has run since. The event of that may be lost. */
async function noteRedrive(order: DrivenOrder, running: Running): Promise<'redriven' | undefined> {
  const { orderRef, generation, failure } = order;
  const execution = executionOf(order);
  const redrives = running.get(execution) ?? 0;
  if (!failure || redrives === 0) return undefined;
  return (await recordRedrive({ orderRef, generation, execution, redrives })) ? 'redriven' : undefined;
}

/** @param mayMark whether this sweep may still mark orders. */
async function moveOn(order: DrivenOrder, mayMark: boolean): Promise<'marked' | undefined> {
  const release = stackSettings.release;
  if (!mayMark || sweepSettings.holdReleases || !isBehind(order, release)) return undefined;
  return (await markToMove(orderTable, order, release)) ? 'marked' : undefined;
}

/** @param mayStart whether this sweep may still start executions. */
async function attend(order: DrivenOrder, mayStart: boolean): Promise<'recorded' | 'resumed' | 'started' | undefined> {
  const { orderRef, failure, resume, changedAt } = order;
  // A failure without `resume` was never recorded by us: whoever waits for an operator is in another list.
  if (failure && resume && !(mayStart && Date.parse(resume.at) <= Date.now())) return undefined;
  const finding = await examine(order);
  if (finding.is === 'not recorded') {
    const { endedAt: at, ...ended } = finding.ended;
    await recordExecutionEnd({ orderRef, ...ended, at });
    return 'recorded';
  }
  if (finding.is === 'attended' || !mayStart) return undefined;
  const { generation } = finding;
  await startExecution(orderRef, generation, { handedOver: generation > 1 });
  // Two sweeps may start the same execution. They add the same line.
  const identity = { at: resume && failure ? resume.at : changedAt, name: `sweep-${generation}` };
  if (!failure) await addToTimelineOnce(orderRef, identity, 'Started: no execution drove the order', { generation });
  else
    await addToTimelineOnce(orderRef, identity, 'Started again after an outage', { generation, error: failure.error });
  return failure ? 'resumed' : 'started';
}

export const handler = lambdaHandler(sweepOrders).use(eventLog());
