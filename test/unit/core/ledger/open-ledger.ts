import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { RecordTable } from '../../../../core/aws/record-table.ts';
import * as errors from '../../../../core/errors.ts';
import { findEntry } from '../../../../core/ledger/entry.ts';
import { performOperation } from '../../../../core/ledger/perform-operation.ts';
import { startHandmade } from '../../../../packages/embedded-aws/test/cloudformation/handmade-assembly.ts';

const TABLE = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    TableName: 'operations',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'orderRef', AttributeType: 'S' },
      { AttributeName: 'item', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'orderRef', KeyType: 'HASH' },
      { AttributeName: 'item', KeyType: 'RANGE' },
    ],
  },
};

/** Opens the ledger with its own table. */
export async function openLedger() {
  const { aws } = await startHandmade({ Stack: { Resources: { Table: TABLE } } });
  const table = new RecordTable(new DynamoDBClient(aws.clientSettings), 'operations', 'orderRef');
  /** The ledger entry of an operation. */
  const entryOf = (orderRef: string, name: string) => {
    const key = { orderRef, item: `operation#${name}` };
    return findEntry({ table, key });
  };
  return { aws, performOperation, errors, table, entryOf };
}
