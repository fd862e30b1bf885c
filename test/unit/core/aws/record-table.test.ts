import {
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
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
