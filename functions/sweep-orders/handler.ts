import type { Context } from 'aws-lambda';
import { orderTable } from '../../core/aws/order-table.ts';
import { eventLog, lambdaHandler, logger } from '../../core/log.ts';
import { count } from '../../core/metrics.ts';
import { findPause } from '../../core/order/order-record.ts';
import { isPaused, recordAdoptedPause } from '../../core/order/stage-pause.ts';
import { removeDue } from '../../core/recovery/remove-due.ts';
import { sendLeftEvents } from '../../core/recovery/send-left-events.ts';
import { stackSettings } from '../../core/settings.ts';
import { attendOrders, type Part } from './attend-orders.ts';
import { sweepMetrics } from './sweep-metrics.ts';

/** Milliseconds before Lambda ends the function: no order is attended, no event sent, and no data removed after these. */
const LEFT = { attend: 60_000, send: 30_000, remove: 10_000 };

/**
 * Compares the orders that are not over with the executions that run. EventBridge Scheduler invokes this function every few minutes,
 * because events and steps may be lost: Step Functions sends an event of an end at most once. Then it sends events and publishes pages that
 * other functions could not, and removes data of orders whose retention is over. A part that fails does not stop the others.
 */
async function sweepOrders(_event: unknown, context: Context) {
  const timeLeft = (milliseconds: number) => () => context.getRemainingTimeInMillis() > milliseconds;
  const failures: unknown[] = [];
  const part: Part = (name, work) =>
    work().catch((error: Error) => {
      failures.push(error);
      logger.error('A part of the sweep failed. The next sweep tries again.', { part: name, error: error.name });
      return undefined;
    });
  const pause = await findPause();
  if (stackSettings.isTableAdopted && isPaused(pause)) await recordAdoptedPause(orderTable, pause);
  const metrics = sweepMetrics(pause);
  const attended = await attendOrders(part, pause, metrics.add, timeLeft(LEFT.attend));
  const { ended, looked, ...findings } = attended.done;
  const { sent = 0, oldest } = (await part('outbox', () => sendLeftEvents(timeLeft(LEFT.send)))) ?? {};
  const removed = await part('removal', () => removeDue(timeLeft(LEFT.remove)));
  const found = { ...findings, sent: sent + ended, ...removed };
  logger.info('Swept', { looked, ...found });
  metrics.publish(attended.census, found, oldest);
  if (failures.length > 0) throw failures[0];
  count('Sweeps');
  return { looked, ...found };
}

export const handler = lambdaHandler(sweepOrders).use(eventLog());
