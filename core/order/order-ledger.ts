import { type ItemKey, orderTable } from '../aws/order-table.ts';
import {
  type EntryAddress,
  findEntry,
  type LedgerEntry,
  readEntry,
  recordNothingDone,
  recordOutcome,
  type StoredEntry,
} from '../ledger/entry.ts';
import { type Operation, performOperation } from '../ledger/perform-operation.ts';
import type { OrderToCallFor } from './order-record.ts';
import { refuseWhileThrottled, withPatience } from './throttling.ts';
import { addEvent } from './timeline.ts';

export type OrderOperation<Outcome> = Omit<Operation<Outcome>, 'subject'> & { order: OrderToCallFor };

/** The order's operations whose names begin with `name`. */
export async function findOperations(orderRef: string, name: string) {
  return (await orderTable.queryItems<StoredEntry>(orderRef, `operation#${name}`)).map(readEntry);
}

/** The operation with this name; undefined if it was not begun. */
export async function findOperation(orderRef: string, name: string): Promise<LedgerEntry | undefined> {
  return findEntry(addressOf(orderRef, name));
}

/** Whether any operation whose name begins with `name` is known to be done. */
export async function isAnyDone(orderRef: string, name: string): Promise<boolean> {
  return (await findOperations(orderRef, name)).some(({ knowledge }) => knowledge.state === 'done');
}

/** Records an outcome that a read has shown. */
export async function settleAsDone(orderRef: string, name: string, outcome: Record<string, unknown>): Promise<void> {
  await recordOutcome(addressOf(orderRef, name), outcome);
}

/** Records that an operation was not done, as a read has shown. */
export async function settleAsNotDone(orderRef: string, name: string): Promise<void> {
  await recordNothingDone(addressOf(orderRef, name));
}

function addressOf(orderRef: string, name: string): EntryAddress {
  const key: ItemKey = { orderRef, item: `operation#${name}` };
  return { table: orderTable, key };
}

/** Makes a call that changes something at the order service, through the ledger: see {@link performOperation}. */
export async function perform<Outcome extends Record<string, unknown> | undefined>({
  order,
  ...operation
}: OrderOperation<Outcome>): Promise<Outcome> {
  const { orderRef } = order;
  return performOperation({
    ...operation,
    subject: {
      name: `Order ${orderRef}`,
      table: orderTable,
      key: { orderRef },
      withPatience: (call) => withPatience(order, call),
      refuseWhileThrottled: () => refuseWhileThrottled(order),
      addEvent: (what, facts) => addEvent(orderRef, what, facts),
      findOut: 'ask the service whether the order exists.',
    },
  });
}
