import { onTestFinished, vi } from 'vitest';
import { startHandmade } from '../../../local/aws/cloudformation/handmade-assembly.ts';

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
  const { performOperation } = await import('../../../../../functions/shared/ledger/perform-operation.ts');
  const errors = await import('../../../../../functions/shared/errors.ts');
  const { RecordTable } = await import('../../../../../functions/shared/aws/record-table.ts');
  const { findEntry } = await import('../../../../../functions/shared/ledger/entry.ts');
  const table = new RecordTable('TABLE', 'orderRef');
  /** The ledger entry of an operation. */
  const entryOf = (orderRef: string, name: string) => {
    const key = { orderRef, item: `operation#${name}` };
    return findEntry({ table, key });
  };
  return { performOperation, errors, table, entryOf };
}
