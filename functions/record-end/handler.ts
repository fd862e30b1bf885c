import type { SQSEvent } from 'aws-lambda';
import { type ExecutionChanged, executionChanged } from '../../core/aws/execution-end.ts';
import { eventLog, lambdaHandler, logger } from '../../core/log.ts';
import { eachEvent } from '../../core/queue-batch.ts';
import {
  orderOfEnd,
  orderOfInput,
  recordExecutionEnd,
  recordRedrive,
} from '../../core/recovery/record-execution-end.ts';

/** Records that an execution ended without success, or that a person has redriven it. */
async function recordChange({ detail }: ExecutionChanged): Promise<void> {
  const order = orderOfInput(detail.input ?? '');
  if (!order) {
    logger.warn('An execution ended whose input does not name the order', { status: detail.status });
    return;
  }
  logger.appendKeys(order);
  const { executionArn: execution, status, error, cause, stopDate, redriveCount } = detail;
  const driver = { ...order, execution, redrives: redriveCount ?? 0 };
  if (status === 'RUNNING') {
    if (redriveCount) await recordRedrive(driver);
  } else if (stopDate !== null)
    await recordExecutionEnd({ ...driver, status, error: error ?? undefined, cause: cause ?? undefined, at: stopDate });
}

const recordEvents = eachEvent((event) => recordChange(executionChanged(event)), orderOfEnd);

export const handler = lambdaHandler<SQSEvent, Awaited<ReturnType<typeof recordEvents>>>(recordEvents).use(eventLog());
