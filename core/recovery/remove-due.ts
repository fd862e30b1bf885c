import { orderTable } from '../aws/order-table.ts';
import { clientOf } from '../aws/storage.ts';
import { inBatches } from '../in-batches.ts';
import { logger } from '../log.ts';
import { BY_WAITING, type DataToRemove, isOver, type OrderItem } from '../order/order-item.ts';
import { findOrder, waiting } from '../order/order-record.ts';
import { retentionSettings, stackSettings } from '../settings.ts';
import { type Removed, reduceRecord, removeFiles } from './remove-order.ts';
import type { OrderData } from './removed-order.ts';

const MILLISECONDS_PER_DAY = 86_400_000;
const BY = 'retention';
/** The most orders per sweep whose files are removed, and whose record is reduced: 288,000 a day, if there is time. */
const MOST_ORDERS = 1_000;
/** The most versions of files of an order that one sweep removes. An order has about 30. */
const MOST_VERSIONS = 6_000;

export interface Removals {
  emptied: number;
  reduced: number;
  /** Orders whose removal failed. The next sweep tries again. */
  notRemoved: number;
}

/** Removes the files of orders that ended long enough ago, and later most of their records, as the stage says. */
export async function removeDue(isTimeLeft: () => boolean): Promise<Removals> {
  const done: Removals = { emptied: 0, reduced: 0, notRemoved: 0 };
  await removeEach('files-to-remove', retentionSettings.documentsDays, done, isTimeLeft);
  await removeEach('record-to-reduce', retentionSettings.recordDays, done, isTimeLeft);
  return done;
}

async function removeEach(
  what: DataToRemove,
  days: number | undefined,
  done: Removals,
  isTimeLeft: () => boolean,
): Promise<void> {
  if (days === undefined) return;
  const value = new Date(Date.now() - days * MILLISECONDS_PER_DAY).toISOString();
  const due = orderTable.queryIndex<{ orderRef: string }>(BY_WAITING, 'openFor', what, {
    key: 'changedAt',
    value,
    is: 'at most',
  });
  const orderRefs: string[] = [];
  for await (const { orderRef } of due) if (orderRefs.push(orderRef) >= MOST_ORDERS) break;
  await inBatches(orderRefs, async (orderRef) => {
    if (!isTimeLeft()) return;
    try {
      if ((await removeFrom(orderRef, what)) === 'done') done[what === 'files-to-remove' ? 'emptied' : 'reduced'] += 1;
    } catch (error) {
      // A failure for one order must not stop the others.
      done.notRemoved += 1;
      logger.error('The data of an order could not be removed', { orderRef, error: (error as Error).name });
    }
  });
}

async function removeFrom(orderRef: string, what: DataToRemove): Promise<Removed['ended'] | 'not due'> {
  const order = await findOrder(orderRef);
  // The index may be some seconds old.
  if (order?.openFor !== what) return 'not due';
  // Files may have come since they were removed, so the folders are emptied again before the record is reduced.
  let removed = order.legalHold || !isOver(order) ? undefined : await removeFiles(data(), order, BY, MOST_VERSIONS);
  if (removed?.ended === 'done' && what === 'record-to-reduce') removed = await reduceRecord(data(), removed.order, BY);
  if (!removed || removed.ended === 'kept') await keep(order, what);
  return removed?.ended ?? 'kept';
}

/**
 * Takes an order on hold out of the index, so sweeps skip it. The end of the hold puts it back. An order that is not over was brought back,
 * but never claimed: it waits for an operator.
 */
async function keep(order: OrderItem, what: DataToRemove): Promise<void> {
  const { orderRef, item } = order;
  const [changes, isKept] = isOver(order)
    ? [{ openFor: undefined }, 'exists(legalHold)']
    : [waiting('operator'), 'not_exists(dismissed)'];
  await orderTable.updateItem({ orderRef, item }, changes, `#openFor = :what AND attribute_${isKept}`, {
    ':what': what,
  });
}

function data(): OrderData {
  const [intake, staging] = [stackSettings.intakeBucket, stackSettings.stagingBucket];
  return {
    table: orderTable,
    intake: { client: clientOf(intake), bucket: intake },
    staging: { client: clientOf(staging), bucket: staging },
  };
}
