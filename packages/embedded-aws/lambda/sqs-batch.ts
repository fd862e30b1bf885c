import { isJsonObject, type Json } from '../protocol/operation.ts';
import { systemAttributes } from '../sqs/descriptions.ts';
import { md5, type Queue, type QueueMessage } from '../sqs/queue.ts';
import type { InvocationResult } from './sandbox.ts';

export function sqsEvent(batch: readonly QueueMessage[], queue: Pick<Queue, 'arn'>, region: string): string {
  const Records = batch.map((message) => ({
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: systemAttributes(message),
    messageAttributes: Object.fromEntries(
      Object.entries(message.attributes).map(([name, { StringValue, DataType }]) => [
        name,
        { stringValue: StringValue, dataType: DataType, stringListValues: [], binaryListValues: [] },
      ]),
    ),
    md5OfBody: md5(message.body),
    eventSource: 'aws:sqs',
    eventSourceARN: queue.arn,
    awsRegion: region,
  }));
  return JSON.stringify({ Records });
}

/**
 * The messages that the function has handled. With ReportBatchItemFailures, the messages in its answer have failed. If the answer names a
 * message that is not in the batch, the whole batch has failed.
 */
export function handledOf(
  batch: readonly QueueMessage[],
  { functionError, payload }: InvocationResult,
  reportsFailures: boolean,
): QueueMessage[] {
  if (functionError) return [];
  if (!reportsFailures) return [...batch];
  const failed = failedIn(payload);
  const known = new Set(batch.map(({ messageId }) => messageId));
  if (!failed?.every((id) => known.has(id))) return [];
  return batch.filter(({ messageId }) => !failed.includes(messageId));
}

/** The message IDs in `batchItemFailures`, or undefined if it is not a list. */
function failedIn(payload: string): string[] | undefined {
  const answer = JSON.parse(payload || 'null') as Json;
  if (!isJsonObject(answer)) return [];
  const { batchItemFailures: failures = [] } = answer;
  if (failures === null) return [];
  if (!Array.isArray(failures)) return undefined;
  return failures.map((failure) => String(isJsonObject(failure) ? failure.itemIdentifier : ''));
}
