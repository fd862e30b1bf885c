import type { LocalAws } from '@business-loan-orders/embedded-aws';
import { callAws, invokeWithEvent } from '../../../test/simulation/world/aws-client.ts';

interface Message {
  Body: string;
  ReceiptHandle: string;
}

/** Replays every event that failed, as the page of the exchange says. Returns their number. */
export async function replayExchangeLetters(aws: LocalAws, QueueUrl: string | undefined): Promise<number> {
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
