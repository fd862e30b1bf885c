import { type ItemKey, ORDERS, orderTable } from '../aws/order-table.ts';
import { RecordTable } from '../aws/record-table.ts';
import {
  type EntryAddress,
  findEntry,
  type LedgerEntry,
  readEntry,
  recordNothingDone,
  recordOutcome,
  type StoredEntry,
} from '../ledger/entry.ts';
import { maySendAgain } from '../ledger/knowledge.ts';
import { type Operation, performOperation } from '../ledger/perform-operation.ts';
import { idempotencySettings, readSettings, recoverySettings, serviceSettings } from '../settings.ts';
import { withReport } from './operators-word.ts';
import { attemptNumber } from './order-item.ts';
import type { OrderToCallFor } from './order-record.ts';
import { refuseUnread, refuseWhileThrottled, waitAfterOutage, withPatience } from './throttling.ts';
import { addToTimeline } from './timeline.ts';

export type OrderOperation<Outcome> = Omit<Operation<Outcome>, 'subject'> & { order: OrderToCallFor };

/** The table as the ledger reads it, with operators' reports. */
class LedgerTable extends RecordTable {
  override async getItem<Item>(key: ItemKey): Promise<Item | undefined> {
    const entry = await super.getItem<StoredEntry>(key);
    return entry && (withReport(entry) as Item);
  }
}

const ledgerTable = new LedgerTable(...ORDERS);

/** The order's operations whose names begin with `name`. */
export async function findOperations(orderRef: string, name: string) {
  const entries = await orderTable.queryItems<StoredEntry>(orderRef, `operation#${name}`);
  return entries.map((entry) => readEntry(withReport(entry)));
}

/** The operation with this name; undefined if it was never begun. */
export const findOperation = async (orderRef: string, name: string): Promise<LedgerEntry | undefined> =>
  findEntry(addressOf(orderRef, name));

/** Whether the outcome of the creation is unknown, and only an operator can find it out. */
export async function isCreationStuck(orderRef: string): Promise<boolean> {
  const { knowledge, idempotency } = (await findOperation(orderRef, 'create')) ?? {};
  return knowledge?.state === 'open' && !maySendAgain('never', idempotency?.until);
}

/** Whether any operation whose name begins with `name` is known to be done. */
export const isAnyDone = async (orderRef: string, name: string): Promise<boolean> =>
  (await findOperations(orderRef, name)).some(({ knowledge }) => knowledge.state === 'done');

/** Records what a read has shown about an operation: its outcome, or that it was not done. */
export async function settle(orderRef: string, name: string, outcome?: Record<string, unknown>): Promise<void> {
  const address = addressOf(orderRef, name);
  await (outcome ? recordOutcome(address, outcome) : recordNothingDone(address));
}

function addressOf(orderRef: string, name: string): EntryAddress {
  const key: ItemKey = { orderRef, item: `operation#${name}` };
  return { table: ledgerTable, key };
}

/** Makes a call that changes something at the order service, through the ledger: see {@link performOperation}. */
export async function perform<Outcome extends Record<string, unknown> | undefined>({
  order,
  ...operation
}: OrderOperation<Outcome>): Promise<Outcome> {
  const { orderRef, retriedIn } = order;
  const { idempotencyHeader: header, idempotent } = idempotencySettings;
  const rememberedHours = idempotent ? recoverySettings.outagePatienceHours : undefined;
  // An accept or a confirm depends on the last read.
  if (operation.unknown === 'look') refuseUnread(order);
  return performOperation({
    ...operation,
    subject: {
      name: `Order ${orderRef}`,
      table: ledgerTable,
      key: { orderRef },
      generation: attemptNumber(order),
      retriedIn,
      ...(operation.unknown === 'look' && { settlingSeconds: settlingSeconds(order) }),
      provesNotDone: (call, status) => declaredBy(call).includes(status),
      withPatience: (call) => withPatience(order, call),
      refuseWhileThrottled: () => refuseWhileThrottled(order),
      waitAfterOutage: (settledAt) => waitAfterOutage(order, settledAt),
      addToTimeline: (what, facts) => addToTimeline(orderRef, what, facts),
      idempotency: header === undefined ? undefined : { header, rememberedHours },
      findOut: 'ask the service whether the order exists.',
    },
  });
}

/** The statuses that the stage declares for a call (`orderService.notDone`). Uploads have none. */
function declaredBy(operation: string) {
  const { creation, accept, confirm } = serviceSettings.notDone;
  if (operation === 'create') return creation;
  return operation === 'confirm' ? confirm : accept;
}

/** Seconds over which reads must be repeated until they are believed, at the service's poll interval. */
const settlingSeconds = ({ pollAfterSeconds = 0 }: OrderToCallFor) =>
  Math.max(readSettings.settlingSeconds, readSettings.repeatsLimit * pollAfterSeconds);
