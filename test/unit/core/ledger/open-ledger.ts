import { onTestFinished, vi } from 'vitest';
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
  for (const [name, value] of Object.entries({ ...aws.environment, TABLE: 'operations' })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  // The table's client belongs to a module, and reads its address from the environment once.
  vi.resetModules();
  const { performOperation } = await import('../../../../core/ledger/perform-operation.ts');
  const errors = await import('../../../../core/errors.ts');
  const { RecordTable } = await import('../../../../core/aws/record-table.ts');
  const { findEntry } = await import('../../../../core/ledger/entry.ts');
  const table = new RecordTable('TABLE', 'orderRef');
  /** The ledger entry of an operation. */
  const entryOf = (orderRef: string, name: string) => {
    const key = { orderRef, item: `operation#${name}` };
    return findEntry({ table, key });
  };
  return { performOperation, errors, table, entryOf };
}
