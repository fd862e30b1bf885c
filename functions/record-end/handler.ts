import { type ExecutionEnded, readableCause } from '../shared/aws/execution-end.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { logger } from '../shared/order/operator-log.ts';
import { findOrder, isSuperseded, recordEndOf } from '../shared/order/order-record.ts';
import { stageStatus } from '../shared/order/staging.ts';
import { addEventOnce } from '../shared/order/timeline.ts';

/**
 * An execution ended without success: the record and `status.json` say so, and for whom the order waits. It comes as an
 * event because no state of an aborted or timed-out execution can run any more. The event may come twice: what is recorded carries the
 * time of the end itself.
 */
async function recordEnd({ detail }: ExecutionEnded): Promise<void> {
  const { orderRef, generation } = JSON.parse(detail.input ?? '{}') as { orderRef?: string; generation?: unknown };
  if (orderRef === undefined || typeof generation !== 'number') {
    logger.warn('An execution without an order ended', { status: detail.status });
    return;
  }
  logger.appendKeys({ orderRef, generation });
  const driver = { orderRef, generation, execution: detail.executionArn };
  const failure = {
    error: detail.error ?? detail.status,
    cause: readableCause(detail, 'a retry carries the order on'),
    at: new Date(detail.stopDate).toISOString(),
  };
  // A function outlives its execution, and may bring the order to its end just now.
  for (
    let order = await findOrder(orderRef);
    order && !isSuperseded(order, driver);
    order = await findOrder(orderRef)
  ) {
    const { status } = order;
    const waitingFor = status === 'VALIDATION_FAILED' || status === 'CLOSED' ? 'nobody' : 'operator';
    if (!(await recordEndOf(driver, { status, failure, waitingFor }))) continue;
    await stageStatus({ ...order, failure, waitingFor });
    await addEventOnce(orderRef, { at: failure.at, name: `end-${generation}` }, 'Execution ended', {
      error: failure.error,
    });
    return;
  }
  logger.info('The order is driven by another execution, or has no record: nothing to record', {
    status: detail.status,
  });
}

export const handler = lambdaHandler(recordEnd).before(({ context }) => {
  logger.resetKeys();
  logger.appendKeys({ requestId: context.awsRequestId });
});
