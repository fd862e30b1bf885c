import { recordNothingDone, recordOutcome } from './operation-entry.ts';
import { type OperationEntry as Entry, type Operation, performOperation } from './operation-ledger.ts';
import { addEvent } from './order-record.ts';
import { type PatientOrder, refuseWhileThrottled, withPatience } from './patience.ts';
import { type ItemKey, orderTable } from './table.ts';

/** An operation of an order. */
export type OperationEntry = ItemKey & Entry;

export type OrderOperation<Outcome extends Record<string, unknown>> = Omit<Operation<Outcome>, 'subject'> & {
  order: PatientOrder;
};

/** Whether the operation of this name is known to be done. */
export async function isDone(orderRef: string, name: string): Promise<boolean> {
  return (await orderTable.getItem<OperationEntry>({ orderRef, item: `operation#${name}` }))?.state === 'done';
}

/** Whether an operation whose name begins so is known to be done. */
export async function isAnyDone(orderRef: string, name: string): Promise<boolean> {
  const entries = await orderTable.queryItems<OperationEntry>(orderRef, `operation#${name}`);
  return entries.some(({ state }) => state === 'done');
}

/** A read says what came of an operation whose outcome was not known. */
export async function settleAsDone(orderRef: string, name: string, outcome: Record<string, unknown>): Promise<void> {
  await recordOutcome(entryOf(orderRef, name), outcome);
}

/** A read says that nothing came of it. */
export async function settleAsNotDone(orderRef: string, name: string): Promise<void> {
  await recordNothingDone(entryOf(orderRef, name));
}

function entryOf(orderRef: string, name: string) {
  const subject = { name: `Order ${orderRef}`, table: orderTable };
  return { subject, key: { orderRef, item: `operation#${name}` } };
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
