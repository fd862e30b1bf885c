import type { JsonObject } from '../protocol/operation.ts';
import { md5, type Queue, type QueueMessage } from './queue.ts';

export function describeQueue(queue: Queue, names: unknown): Record<string, string> {
  const { visible, hidden, delayed } = queue.count();
  const { visibilityTimeoutSeconds, retentionSeconds, redrive } = queue.settings;
  const attributes = {
    QueueArn: queue.arn,
    VisibilityTimeout: String(visibilityTimeoutSeconds),
    DelaySeconds: '0',
    MessageRetentionPeriod: String(retentionSeconds),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(hidden),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
  if (!redrive) return chosen(attributes, names);
  const policy = { deadLetterTargetArn: redrive.to.arn, maxReceiveCount: redrive.maxReceiveCount };
  return chosen({ ...attributes, RedrivePolicy: JSON.stringify(policy) }, names);
}

export function describeMessage(message: QueueMessage, input: JsonObject): object {
  const names = Array.isArray(input.MessageAttributeNames) ? input.MessageAttributeNames : [];
  const attributes = Object.entries(message.attributes).filter(([name]) =>
    names.some((wanted) => wanted === 'All' || wanted === '.*' || wanted === name),
  );
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    Attributes: chosen(systemAttributes(message), input.MessageSystemAttributeNames ?? input.AttributeNames),
    ...(attributes.length > 0 ? { MessageAttributes: Object.fromEntries(attributes) } : {}),
  };
}

export function systemAttributes(message: QueueMessage): Record<string, string> {
  return {
    SentTimestamp: String(message.sentAt),
    SenderId: 'AIDALOCAL',
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(message.deadLetterOf !== undefined && { DeadLetterQueueSourceArn: message.deadLetterOf }),
  };
}

function chosen(attributes: Record<string, string>, names: unknown): Record<string, string> {
  const wanted: unknown[] = Array.isArray(names) ? names : [];
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => wanted.includes('All') || wanted.includes(name)),
  );
}
