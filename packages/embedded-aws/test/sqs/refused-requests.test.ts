import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { queueUrl, startQueue } from './queue-fixture.ts';

const QueueUrl = queueUrl('letters');
const MIB = 1_048_576;

const refusal = (sent: Promise<unknown>) =>
  sent.then(
    () => 'not refused',
    ({ name, message }: Error) => `${name}: ${message}`,
  );

async function receiveOne(sqs: SQSClient): Promise<string> {
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  return Messages[0]?.ReceiptHandle ?? 'none';
}

// Which error AWS answers when: https://github.com/aws/aws-sdk-java/issues/1628 and https://github.com/localstack/localstack/pull/6103.
test('SQS refuses a receipt handle that it never gave, and a change of a message that is gone', async () => {
  const { sqs } = await startQueue();
  const change = (ReceiptHandle: string, url = QueueUrl) =>
    refusal(sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 })));
  const remove = (ReceiptHandle: string, url = QueueUrl) =>
    refusal(sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle })));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'one' }));
  const first = await receiveOne(sqs);
  expect(await change('made up')).toMatch(/^ReceiptHandleIsInvalid: /);
  expect(await remove('made up')).toMatch(/^ReceiptHandleIsInvalid: /);
  expect(await remove(first, queueUrl('work'))).toMatch(/^ReceiptHandleIsInvalid: /);
  expect(await change(first)).toBe('not refused');
  const second = await receiveOne(sqs);
  expect(await remove(first)).toBe('not refused');
  expect(await remove(second)).toBe('not refused');
  expect(await remove(second)).toBe('not refused');
  expect(await change(second)).toMatch(
    /^InvalidParameterValue: Value .* for parameter ReceiptHandle is invalid\. Reason: Message does not exist or is not available for visibility timeout change\.$/,
  );
});

test.each([
  ['MaxNumberOfMessages', 11],
  ['MaxNumberOfMessages', 0],
  ['VisibilityTimeout', 43_201],
  ['WaitTimeSeconds', 21],
])('SQS refuses to receive with %s %i', async (name, value) => {
  const { sqs } = await startQueue();
  const asked = sqs.send(new ReceiveMessageCommand({ QueueUrl, [name]: value }));
  expect(await refusal(asked)).toMatch(new RegExp(`^InvalidParameterValue: Value ${value} for parameter ${name}`));
});

// The message: https://github.com/asim/nitro-plugins/issues/437. The largest message: the documentation of SendMessage in the SDK.
test('SQS refuses a message with a control character, an empty one, and one of more than 1 MiB with its attributes', async () => {
  const { sqs } = await startQueue();
  const send = (MessageBody: string, more: object = {}) =>
    refusal(sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more })));
  const note = (StringValue: string) => ({ MessageAttributes: { note: { DataType: 'String', StringValue } } });
  expect(await send('\u0007')).toMatch(/^InvalidMessageContents: Invalid binary character '#x7' was found/);
  expect(await send('a', note('\uFFFF'))).toMatch(/^InvalidMessageContents: Invalid binary character '#xffff'/i);
  expect(await send('\t\n\r é 𝄞')).toBe('not refused');
  expect(await send('')).toMatch(/^MissingParameter: /);
  expect(await send('x'.repeat(MIB))).toBe('not refused');
  expect(await send('é'.repeat(MIB / 2 + 1))).toMatch(/^InvalidParameterValue: .*shorter than 1048576 bytes/);
  expect(await send('x'.repeat(MIB), note('x'))).toMatch(/^InvalidParameterValue: .*shorter than 1048576 bytes/);
  expect(await send('x', { DelaySeconds: 901 })).toMatch(
    /^InvalidParameterValue: Value 901 for parameter DelaySeconds/,
  );
});

test('SQS refuses a batch without entries, of 11 entries, with an Id twice or an odd one, and of more than 1 MiB', async () => {
  const { sqs } = await startQueue();
  const send = (...Entries: SendMessageBatchRequestEntry[]) =>
    refusal(sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries })));
  const entry = (Id: string, MessageBody = 'x') => ({ Id, MessageBody });
  expect(await send()).toMatch(/^EmptyBatchRequest: /);
  const many = Array.from({ length: 11 }, (_, index) => entry(`a${index}`));
  expect(await send(...many)).toMatch(/^TooManyEntriesInBatchRequest: /);
  expect(await send(entry('a'), entry('a'))).toMatch(/^BatchEntryIdsNotDistinct: /);
  expect(await send(entry('a b'))).toMatch(/^InvalidBatchEntryId: /);
  expect(await send(entry('a', 'x'.repeat(MIB)), entry('b'))).toMatch(/^BatchRequestTooLong: /);
  expect(await receiveOne(sqs)).toBe('none');
});
