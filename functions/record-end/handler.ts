import { type ExecutionEnded, readableCause } from '../shared/aws/execution-end.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { eventLog } from '../shared/log.ts';
import { logger } from '../shared/order/operator-log.ts';
import { isFinal } from '../shared/order/order-item.ts';
import { findOrder, isSuperseded, recordEndOf } from '../shared/order/order-record.ts';
import { stageStatus } from '../shared/order/staging.ts';
import { addEventOnce } from '../shared/order/timeline.ts';

/**
 * Records in the order's record and in `status.json` that an execution ended without success. EventBridge invokes this
 * function, because an aborted or timed-out execution cannot run any state. It may send the event twice, so what is recorded
 * has the time of the end, not the current time.
 */
async function recordEnd({ detail }: ExecutionEnded): Promise<void> {
  const { orderRef, generation } = JSON.parse(detail.input ?? '{}') as { orderRef?: string; generation?: unknown };
  if (orderRef === undefined || typeof generation !== 'number') {
    logger.warn('An execution ended whose input does not name the order', { status: detail.status });
    return;
  }
  logger.appendKeys({ orderRef, generation });
  const driver = { orderRef, generation, execution: detail.executionArn };
  const failure = {
    error: detail.error ?? detail.status,
    cause: readableCause(detail, 'a retry continues the order'),
    at: new Date(detail.stopDate).toISOString(),
  };
  // A function of the ended execution may still be running and change the status. Then the write fails, and is tried again.
  for (
    let order = await findOrder(orderRef);
    order && !isSuperseded(order, driver);
    order = await findOrder(orderRef)
  ) {
    const { status } = order;
    const waitingFor = isFinal(status) ? 'nobody' : 'operator';
    if (!(await recordEndOf(driver, { status, failure, waitingFor }))) continue;
    await stageStatus({ ...order, failure, waitingFor });
    await addEventOnce(orderRef, { at: failure.at, name: `end-${generation}` }, 'Execution ended', {
      error: failure.error,
    });
    return;
  }
  logger.info('Nothing to record: another execution drives the order, or it has no record', {
    status: detail.status,
  });
}

export const handler = lambdaHandler(recordEnd).use(eventLog());
