import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { RecordTable } from '../../../../core/aws/record-table.ts';
import { findEntry, recordNothingDone } from '../../../../core/ledger/entry.ts';
import type { Subject } from '../../../../core/ledger/perform-operation.ts';
import {
  startHandmade,
  table as tableOf,
} from '../../../../packages/embedded-aws/test/cloudformation/handmade-assembly.ts';

/** Opens the ledger of an order with its own table, beside these resources. The subject repeats no call. */
export async function openLedger(
  orderRef = 'order-1',
  more: Partial<Subject> = {},
  resources: Record<string, object> = {},
) {
  const Table = tableOf('operations', ['orderRef', 'item']);
  const { aws } = await startHandmade({ Stack: { Resources: { Table, ...resources } } });
  const table = new RecordTable(new DynamoDBClient(aws.clientSettings), 'operations');
  const subject: Subject = {
    name: `Order ${orderRef}`,
    table,
    key: { orderRef },
    findOut: 'ask.',
    withPatience: (call) => call(),
    refuseWhileThrottled: () => undefined,
    addToTimeline: async () => undefined,
    provesNotDone: () => false,
    ...more,
  };
  const addressOf = (name: string) => {
    const key = { orderRef, item: `operation#${name}` };
    return { table, key };
  };
  /** The ledger entry of an operation. */
  const entryOf = (name: string) => findEntry(addressOf(name));
  /** Records that a believed read shows that nothing was done. */
  const settle = (name: string) => recordNothingDone(addressOf(name));
  return { aws, table, subject, entryOf, settle };
}
