import {
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { clientDefaults, withoutLog } from '../../../../core/aws/aws-client.ts';
import { RecordTable } from '../../../../core/aws/record-table.ts';
import { openLedger } from '../ledger/open-ledger.ts';

const key = { orderRef: 'order-1', item: 'order' };

test('an item that DynamoDB leaves out of its answer is read alone', async () => {
  const { aws } = await openLedger();
  const client = new DynamoDBClient(aws.clientSettings);
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answered = await next(args);
        if (commandName !== 'BatchGetItemCommand') return answered;
        const { RequestItems } = args.input as BatchGetItemCommandInput;
        const output = {
          ...answered.output,
          Responses: {},
          UnprocessedKeys: RequestItems,
        } as BatchGetItemCommandOutput;
        return { ...answered, output };
      },
    { step: 'initialize' },
  );
  const table = new RecordTable(client, 'operations');
  await table.putItem({ ...key, status: 'CLOSED' });
  const [found, none] = await table.getItems([key, { ...key, orderRef: 'order-2' }]);
  expect(found).toEqual({ ...key, status: 'CLOSED' });
  expect(none).toBeUndefined();
});

test.each([DynamoDBClient, S3Client])('%o does not filter requests for a log that is not kept', (Client) => {
  const logs = (client: { middlewareStack: { identify(): string[] } }) =>
    client.middlewareStack.identify().filter((middleware) => middleware.startsWith('loggerMiddleware'));
  const settings = { ...clientDefaults, region: 'eu-central-1' };
  // This is the SDK's own name. The test fails if a later SDK renames it.
  expect(logs(new Client(settings))).toHaveLength(1);
  expect(logs(withoutLog(new Client(settings)))).toEqual([]);
});
