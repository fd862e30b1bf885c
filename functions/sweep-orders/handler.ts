import { orderTable } from '../../core/aws/order-table.ts';
import { startExecution } from '../../core/aws/start-execution.ts';
import { endDismissed } from '../../core/driving/change-record.ts';
import { eventLog, lambdaHandler, logger } from '../../core/log.ts';
import { findPause } from '../../core/order/order-record.ts';
import { isPaused, recordAdoptedPause, type StagePause } from '../../core/order/stage-pause.ts';
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

/** Values of `waitingFor` for which an execution must drive the order. An order that waits for an operator needs none. */
const DRIVEN = ['service', 'signatures', 'decision'] as const;
const EVERYBODY = [...DRIVEN, 'operator'] as const;

/**
 * Compares the orders that are not over with the executions that run. EventBridge Scheduler invokes this function every few minutes,
 * because events and steps may be lost: Step Functions sends an event of an end at most once. It records ends that were missed, and
 * restarts orders that an outage stopped, a limited number at a time to protect a recovering service. Orders that run in another release
 * are marked, also a limited number at a time: their next read hands them over to this release. While the stage is paused, nothing is
 * started. It ends orders that operators have dismissed, and sends events and publishes pages that other functions could not. Then it
 * removes data of orders whose retention is over. At its end it publishes its counts.
 */
async function sweepOrders() {
  const pause = await findPause();
  if (stackSettings.isTableAdopted && isPaused(pause)) await recordAdoptedPause(orderTable, pause);
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

/** Counts what was done: orders checked, ends recorded, orders restarted, started or marked for this release, and failures. */
async function attendAll(running: Running, metrics: ReturnType<typeof sweepMetrics>, pause: StagePause | undefined) {
  const done = { looked: 0, recorded: 0, resumed: 0, started: 0, marked: 0, redriven: 0, ended: 0, failed: 0 };
  const most = sweepSettings.mostStarts;
  const mostStarts = isPaused(pause) ? 0 : most;
  const count = async (order: DrivenOrder, act: () => Promise<Exclude<keyof typeof done, 'failed'> | undefined>) => {
    try {
      const what = await act();
      if (what) done[what] += 1;
    } catch (error) {
      // A failure for one order must not stop the others.
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

/** Records that a person has redriven the execution of a stopped order, if no step has run since. The event may be lost. */
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
  // A failure without `resume` was not recorded by us: orders that wait for an operator are in another list.
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
