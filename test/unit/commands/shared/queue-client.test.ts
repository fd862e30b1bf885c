import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { queueClientSettings } from '../../../../commands/shared/place.ts';

test('a request about a queue goes to the endpoint that was named, not to the host of the URL of the queue', async () => {
  const asked: string[] = [];
  const requestHandler = {
    handle: async ({ hostname }: { hostname: string }) => {
      asked.push(hostname);
      throw new Error('no answer');
    },
  };
  const settings = queueClientSettings({ stage: 'local', local: true, endpoint: 'http://127.0.0.1:9000' });
  const client = new SQSClient({ ...settings, requestHandler, maxAttempts: 1 });
  const QueueUrl = 'https://sqs.eu-central-1.amazonaws.com/111122223333/events';
  await expect(client.send(new GetQueueAttributesCommand({ QueueUrl }))).rejects.toThrow('no answer');
  expect(asked).toEqual(['127.0.0.1']);
});
