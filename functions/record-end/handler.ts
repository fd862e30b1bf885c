import middy from '@middy/core';
import { type ExecutionEnded, readableCause } from '../shared/execution-end.ts';
import { logger } from '../shared/operator-log.ts';
import { addEvent, findOrder, recordEndOf } from '../shared/order-record.ts';
import { stageStatus } from '../shared/staging.ts';

/**
 * An execution ended without success: the record and `status.json` say so, and for whom the order waits. It comes as an
 * event because no state of an aborted or timed-out execution can run any more.
 */
async function recordEnd({ detail }: ExecutionEnded): Promise<void> {
  const { orderRef, generation } = JSON.parse(detail.input ?? '{}') as { orderRef?: string; generation?: unknown };
  const order = orderRef === undefined ? undefined : await findOrder(orderRef);
  if (!order || typeof generation !== 'number') {
    logger.warn('An execution without an order ended', { status: detail.status });
    return;
  }
  logger.appendKeys({ orderRef: order.orderRef, generation });
  const failure = {
    error: detail.error ?? detail.status,
    cause: readableCause(detail, 'a retry carries the order on'),
    at: new Date().toISOString(),
  };
  const waitingFor = order.status === 'VALIDATION_FAILED' || order.status === 'CLOSED' ? 'nobody' : 'operator';
  const execution = { orderRef: order.orderRef, generation, execution: detail.executionArn };
  if (!(await recordEndOf(execution, { failure, waitingFor }))) {
    logger.info('The order is driven by another execution: nothing to record', { status: detail.status });
    return;
  }
  await stageStatus({ ...order, failure, waitingFor });
  await addEvent(order.orderRef, 'Execution ended', { error: failure.error });
}

export const handler = middy(recordEnd).before(({ context }) => {
  logger.resetKeys();
  logger.appendKeys({ requestId: context.awsRequestId });
});
