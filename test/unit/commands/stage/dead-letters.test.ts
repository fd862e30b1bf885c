import { DeleteMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { listDeadLetters } from '../../../../commands/dead-letters.ts';
import { DeadLetters } from '../../../../commands/stage/dead-letters.ts';
import { queueUrl, startQueue } from '../../../../packages/embedded-aws/test/sqs/queue-fixture.ts';

const QueueUrl = queueUrl('letters');

/** A dead-letter queue with two letters. */
async function startLetters() {
  const { sqs } = await startQueue();
  for (const MessageBody of ['one', 'other']) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  const queues = new DeadLetters(sqs, [{ function: 'check-package', deadLetters: QueueUrl, source: queueUrl('work') }]);
  return { sqs, queues };
}

test('a dead letter that somebody deleted meanwhile is not put back, and the others are', async () => {
  const { sqs, queues } = await startLetters();
  const taken = await queues.take();
  const ReceiptHandle = taken.find(({ message }) => message.Body === 'one')?.message.ReceiptHandle;
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  await queues.putBack(taken);
  expect((await listDeadLetters(queues)).json).toHaveLength(1);
  expect((await queues.take()).map(({ message }) => message.Body)).toEqual(['other']);
});

test('a dead letter that is put back twice is there once', async () => {
  const { queues } = await startLetters();
  const taken = await queues.take();
  await queues.putBack(taken);
  await queues.putBack(taken);
  expect(await queues.take()).toHaveLength(2);
});
