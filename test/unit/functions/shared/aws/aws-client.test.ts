import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { clientDefaults, withoutLog } from '../../../../../functions/shared/aws/aws-client.ts';

test.each([DynamoDBClient, S3Client])('%o filters nothing for a log that nobody keeps', (Client) => {
  const logs = (client: { middlewareStack: { identify(): string[] } }) =>
    client.middlewareStack.identify().filter((middleware) => middleware.startsWith('loggerMiddleware'));
  const settings = { ...clientDefaults, region: 'eu-central-1' };
  // The SDK's name for it: where it has another one some day, this says so.
  expect(logs(new Client(settings))).toHaveLength(1);
  expect(logs(withoutLog(new Client(settings)))).toEqual([]);
});
