import { orderTable } from '../../core/aws/order-table.ts';
import { startExecution } from '../../core/aws/start-execution.ts';
import { endDismissed } from '../../core/driving/change-record.ts';
import { logger } from '../../core/log.ts';
import { isPaused, type StagePause } from '../../core/order/stage-pause.ts';
import { addToTimelineOnce } from '../../core/order/timeline.ts';
import {
  type DrivenOrder,
  examine,
  executionOf,
  findExecution,
  isStartDue,
  isSuspect,
  ordersWaitingFor,
  runningPage,
} from '../../core/recovery/abandoned-order.ts';
import { isBehind, markToMove } from '../../core/recovery/move.ts';
import { recordExecutionEnd, recordRedrive } from '../../core/recovery/record-execution-end.ts';
import { type ListAccess, listRunning } from '../../core/recovery/running-list.ts';
import { type Budget, budgetOf, type Progress, type Walked, walkOn } from '../../core/recovery/walk.ts';
import { stackSettings, sweepSettings } from '../../core/settings.ts';
import { type Census, newCensus, type sweepMetrics } from './sweep-metrics.ts';

/** No order has these keys. Two sweeps at once may both write them: then the next one repeats something. */
const PROGRESS = { orderRef: '#sweep', item: 'progress' };
const partKey = (part: number) => ({ ...PROGRESS, item: `running#${part}` });
const LISTS: ListAccess = {
  page: runningPage,
  save: (part, digests) => orderTable.putItem({ ...partKey(part), digests }),
  load: async (part) => (await orderTable.getItem<{ digests: Uint8Array }>(partKey(part)))?.digests,
};

/** Does a part of the sweep. Returns undefined if it failed. */
export type Part = <Done>(name: string, work: () => Promise<Done>) => Promise<Done | undefined>;

/**
 * Counts the orders that are not over. Records ends that were missed, and starts orders again that an outage stopped, a limited number at a
 * time to protect a recovering service. Marks orders that run in another release, also a limited number at a time: their next read hands
 * them over to this release. While the stage is paused, starts nothing and asks for no execution. Ends orders that operators have dismissed.
 */
export async function attendOrders(
  part: Part,
  pause: StagePause | undefined,
  add: ReturnType<typeof sweepMetrics>['add'],
  isTimeLeft: () => boolean,
) {
  // `last` is what the last whole walk counted.
  const { last, ...progress } = (await orderTable.getItem<Progress<Census> & { last?: Census }>(PROGRESS)) ?? {};
  const running = isPaused(pause) ? undefined : await part('list', () => listRunning(progress, LISTS));
  const walk = progress.walk ?? { census: newCensus(), since: running?.since };
  const { done, ...acts } = actsOn(budgetOf(sweepSettings.mostStarts));
  const count = (whom: Walked, order: DrivenOrder) => {
    if (whom !== 'operator') done.looked += 1;
    if (order.waitingFor !== 'nobody') add(walk.census, whom, order);
  };
  const isMeant = (order: DrivenOrder) => !isPaused(pause) && isSuspect(order, running);
  const walked = { ...acts, orders: ordersWaitingFor, count, isSuspect: isMeant, isTimeLeft };
  const census = (await part('walk', () => walkOn(progress, walk, walked))) ?? last ?? walk.census;
  await part('progress', () => orderTable.putItem({ ...progress, ...PROGRESS, last: census }));
  return { done, census };
}

/** `done` counts orders checked, ends recorded, orders restarted, started or marked for this release, and failures. */
function actsOn(budget: Budget) {
  const done = { looked: 0, recorded: 0, resumed: 0, started: 0, marked: 0, redriven: 0, ended: 0, failed: 0 };
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
  return {
    done,
    isBudgetLeft: () => budget.starts > 0 && budget.questions > 1,
    examine: (order: DrivenOrder) => count(order, () => attend(order, budget)),
    pass: (order: DrivenOrder) => {
      if (order.waitingFor === 'nobody')
        return count(order, async () => ((await endDismissed(order.orderRef)) ? 'ended' : undefined));
      const { release } = stackSettings;
      if (budget.marks === 0 || sweepSettings.holdReleases || !isBehind(order, release)) return undefined;
      budget.marks -= 1;
      return count(order, async () => ((await markToMove(orderTable, order, release)) ? 'marked' : undefined));
    },
  };
}

async function attend(order: DrivenOrder, budget: Budget) {
  const { orderRef, generation, failure, resume, changedAt } = order;
  const finding = await examine(order, (...execution) => {
    budget.questions -= 1;
    return findExecution(...execution);
  });
  if (finding.is === 'redriven') {
    const redriven = { orderRef, generation, execution: executionOf(order), redrives: finding.redrives };
    return (await recordRedrive(redriven)) ? 'redriven' : undefined;
  }
  if (finding.is === 'not recorded') {
    const { endedAt: at, ...ended } = finding.ended;
    await recordExecutionEnd({ orderRef, ...ended, at });
    return 'recorded';
  }
  if (finding.is === 'attended' || !isStartDue(order)) return undefined;
  const { generation: next } = finding;
  await startExecution(orderRef, next, { handedOver: next > 1 });
  budget.starts -= 1;
  // Two sweeps may start the same execution. They add the same line.
  const identity = { at: resume && failure ? resume.at : changedAt, name: `sweep-${next}` };
  const facts = { generation: next, ...(failure && { error: failure.error }) };
  const what = failure ? 'Started again after an outage' : 'Started: no execution drove the order';
  await addToTimelineOnce(orderRef, identity, what, facts);
  return failure ? 'resumed' : 'started';
}
