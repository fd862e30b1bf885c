import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { clientDefaults, withoutLog } from '../../../../core/aws/aws-client.ts';

test.each([DynamoDBClient, S3Client])('%o does not filter requests for a log that is not kept', (Client) => {
  const logs = (client: { middlewareStack: { identify(): string[] } }) =>
    client.middlewareStack.identify().filter((middleware) => middleware.startsWith('loggerMiddleware'));
  const settings = { ...clientDefaults, region: 'eu-central-1' };
  // This is the SDK's own name. The test fails if a later SDK renames it.
  expect(logs(new Client(settings))).toHaveLength(1);
  expect(logs(withoutLog(new Client(settings)))).toEqual([]);
});
