import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { RecordTable } from '../../../../core/aws/record-table.ts';
import { findEntry, recordNothingDone } from '../../../../core/ledger/entry.ts';
import type { Subject } from '../../../../core/ledger/perform-operation.ts';
import {
  startHandmade,
  table as tableOf,
} from '../../../../packages/embedded-aws/test/cloudformation/handmade-assembly.ts';

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
  const entryOf = (name: string) => findEntry(addressOf(name));
  const settle = (name: string) => recordNothingDone(addressOf(name));
  return { aws, table, subject, entryOf, settle };
}
