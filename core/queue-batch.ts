import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { logger } from './log.ts';

/** A message that is not the event that its function handles. A repeat fails too, so it becomes a dead letter for an operator. */
export class UnusableEvent extends Error {
  override readonly name = 'UnusableEvent';
}

/**
 * Handles a batch of events that came through a queue, one after the other. The answer names the messages that failed: only those are
 * delivered again, after the queue's visibility timeout. Each line of the log has the message's ID, and the order that the event names,
 * even if the event is not handled.
 * @param orderRefIn the order that a message names, which may be no event of ours. Default: none.
 */
export function eachEvent<Event>(
  work: (event: Event) => Promise<void>,
  orderRefIn: (message: unknown) => string | undefined = () => undefined,
): (batch: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  return async ({ Records }, context) => {
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
    for (const { messageId, body } of Records) {
      logger.resetKeys();
      const message = parsed(body);
      const orderRef = orderRefIn(message);
      logger.appendKeys({ awsRequestId: context.awsRequestId, messageId, ...(orderRef !== undefined && { orderRef }) });
      if (!(await isHandled(work, message))) batchItemFailures.push({ itemIdentifier: messageId });
    }
    return { batchItemFailures };
  };
}

/** A failure must not prevent the other events of the batch from being handled, so it is logged here, not thrown. */
async function isHandled<Event>(work: (event: Event) => Promise<void>, message: unknown): Promise<boolean> {
  try {
    // Not the parser's error, because it quotes the message.
    if (message === undefined) throw new UnusableEvent('The message is not JSON.');
    await work(message as Event);
    return true;
  } catch (error) {
    const { name } = error as Error;
    logger.error(`An event could not be handled (${name}); it comes again`, error as Error);
    return false;
  }
}

/** Undefined if the message is not JSON. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
