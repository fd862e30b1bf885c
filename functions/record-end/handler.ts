import middy from '@middy/core';
import { type ExecutionEnded, readableCause } from '../shared/execution-end.ts';
import { logger } from '../shared/operator-log.ts';
import { addEvent, changeOrder, findOrder, type OrderItem } from '../shared/order-record.ts';
import { stageStatus } from '../shared/staging.ts';

/**
 * An execution ended without success: the record and `status.json` say so, and for whom the order waits. It comes as an
 * event because no state of an aborted or timed-out execution can run any more.
 */
async function recordEnd({ detail }: ExecutionEnded): Promise<void> {
  const { orderRef } = JSON.parse(detail.input ?? '{}') as { orderRef?: string };
  const order = orderRef === undefined ? undefined : await findOrder(orderRef);
  if (!order) {
    logger.warn('An execution without an order ended', { status: detail.status });
    return;
  }
  logger.appendKeys({ orderRef: order.orderRef, generation: order.generation });
  if (!drives(order, detail.executionArn)) {
    logger.info('The order is driven by another execution: nothing to record', { status: detail.status });
    return;
  }
  const failure = {
    error: detail.error ?? detail.status,
    cause: readableCause(detail, 'a retry carries the order on'),
    at: new Date().toISOString(),
  };
  const waitingFor = order.status === 'VALIDATION_FAILED' || order.status === 'CLOSED' ? 'nobody' : 'operator';
  await changeOrder(order, { failure, waitingFor });
  await stageStatus({ ...order, failure, waitingFor });
  await addEvent(order.orderRef, 'Execution ended', { error: failure.error });
}

/** An execution that failed before it could claim the order is still the order's own by its name, `<orderRef>-<generation>`. */
function drives(order: OrderItem, executionArn: string): boolean {
  if (order.execution !== undefined) return order.execution === executionArn;
  return executionArn.endsWith(`:${order.orderRef}-${order.generation}`);
}

export const handler = middy(recordEnd).before(({ context }) => {
  logger.resetKeys();
  logger.appendKeys({ requestId: context.awsRequestId });
});
