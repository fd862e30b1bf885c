import { replayDeadLetters as replayOrders } from '../../../commands/dead-letters.ts';
import { openDeadLetters } from '../../../commands/stage/dead-letters.ts';
import type { LocalAws } from '../../../packages/embedded-aws/index.ts';
import { callAws, invokeWithEvent } from '../world/aws-client.ts';

interface Message {
  Body: string;
  ReceiptHandle: string;
}

/** Does what `loan-orders dead-letters replay --all` does. Returns the number of events. */
export async function replayDeadLetters({ endpoint }: LocalAws): Promise<number> {
  const { json } = await replayOrders(await openDeadLetters({ stage: 'local', local: true, endpoint }));
  return (json as unknown[]).length;
}

/** Replays every event of the bank exchange that failed, as docs/operations.md says. Returns their number. */
export async function replayExchangeLetters(aws: LocalAws, stack: string): Promise<number> {
  const QueueUrl = aws.outputs[stack]?.DeadLetterQueueUrl;
  let replayed = 0;
  for (;;) {
    const { Messages = [] } = await callAws(aws, 'AmazonSQS.ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10 });
    if ((Messages as Message[]).length === 0) return replayed;
    for (const { Body, ReceiptHandle } of Messages as Message[]) {
      const { requestContext, requestPayload } = JSON.parse(Body) as {
        requestContext: { functionArn: string };
        requestPayload: unknown;
      };
      await invokeWithEvent(aws, requestContext.functionArn.split(':')[6] ?? '', requestPayload);
      await callAws(aws, 'AmazonSQS.DeleteMessage', { QueueUrl, ReceiptHandle });
      replayed += 1;
    }
  }
}
