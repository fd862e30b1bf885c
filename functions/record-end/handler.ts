import type { SQSEvent } from 'aws-lambda';
import { type ExecutionEnded, executionEnded } from '../../core/aws/execution-end.ts';
import { eventLog, lambdaHandler } from '../../core/log.ts';
import { logger } from '../../core/people/operator-log.ts';
import { eachEvent } from '../../core/queue-batch.ts';
import {
  type EndedExecution,
  orderOfEnd,
  orderOfInput,
  recordExecutionEnd,
} from '../../core/recovery/record-execution-end.ts';

/** The input from the state machine's last step, before it fails. */
interface LastStep {
  /** ARN of the execution. */
  execution: string;
  /** The state of the execution. `reads` is absent before its first step has ended. */
  ended: { orderRef: string; generation: number; reads?: number; failure: { Error: string; Cause: string } };
}

/**
 * Records that an execution ended without success. The execution itself invokes this function before it fails. For an execution
 * that was aborted, timed out, or could not do that, an event comes through the queue.
 */
async function recordEnd(ended: EndedExecution | undefined): Promise<void> {
  if (!ended) return;
  logger.appendKeys({ orderRef: ended.orderRef, generation: ended.generation });
  await recordExecutionEnd(ended);
}

function fromLastStep({ execution, ended }: LastStep): EndedExecution {
  const { orderRef, generation, reads = 0, failure } = ended;
  const { Error: error, Cause: cause } = failure;
  return { orderRef, generation, execution, status: 'FAILED', error, cause, at: Date.now(), heard: reads > 0 };
}

function fromEvent({ detail }: ExecutionEnded): EndedExecution | undefined {
  const order = orderOfInput(detail.input ?? '');
  if (!order) {
    logger.warn('An execution ended whose input does not name the order', { status: detail.status });
    return undefined;
  }
  const { executionArn: execution, status, error, cause, stopDate: at } = detail;
  return { ...order, execution, status, error: error ?? undefined, cause: cause ?? undefined, at };
}

const recordEvents = eachEvent((event) => recordEnd(fromEvent(executionEnded(event))), orderOfEnd);

export const handler = lambdaHandler(async (input: LastStep | SQSEvent, context) =>
  'Records' in input ? recordEvents(input, context) : recordEnd(fromLastStep(input)),
).use(eventLog());
