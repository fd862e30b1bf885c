import {
  findEntry,
  type LedgerEntry,
  type Place,
  readEntry,
  recordNothingDone,
  recordOutcome,
  type StoredEntry,
} from '../ledger/entry.ts';
import { type Operation, performOperation } from '../ledger/perform-operation.ts';
import { type ItemKey, orderTable } from './order-table.ts';
import { type PatientOrder, refuseWhileThrottled, withPatience } from './patience.ts';
import { addEvent } from './timeline.ts';

export type OrderOperation<Outcome> = Omit<Operation<Outcome>, 'subject'> & { order: PatientOrder };

/** The order's operations whose names begin so. */
export async function findOperations(orderRef: string, name: string) {
  return (await orderTable.queryItems<StoredEntry>(orderRef, `operation#${name}`)).map(readEntry);
}

/** The operation of this name; undefined before it was begun. */
export async function findOperation(orderRef: string, name: string): Promise<LedgerEntry | undefined> {
  return findEntry(placeOf(orderRef, name));
}

/** Whether the operation of this name is known to be done. */
export async function isDone(orderRef: string, name: string): Promise<boolean> {
  return (await findOperation(orderRef, name))?.knowledge.state === 'done';
}

/** Whether an operation whose name begins so is known to be done. */
export async function isAnyDone(orderRef: string, name: string): Promise<boolean> {
  return (await findOperations(orderRef, name)).some(({ knowledge }) => knowledge.state === 'done');
}

/** A read says what came of an operation whose outcome was not known. */
export async function settleAsDone(orderRef: string, name: string, outcome: Record<string, unknown>): Promise<void> {
  await recordOutcome(placeOf(orderRef, name), outcome);
}

/** A read says that nothing came of it. */
export async function settleAsNotDone(orderRef: string, name: string): Promise<void> {
  await recordNothingDone(placeOf(orderRef, name));
}

function placeOf(orderRef: string, name: string): Place {
  const key: ItemKey = { orderRef, item: `operation#${name}` };
  return { table: orderTable, key };
}

/** A call that changes something at the order service, through the ledger in the order's record: see {@link performOperation}. */
export async function perform<Outcome extends Record<string, unknown>>({
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
