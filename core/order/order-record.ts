import { orderKey, orderTable, updateOrder } from '../aws/order-table.ts';
import { likeIdentifier } from '../bounded.ts';
import { Superseded } from '../errors.ts';
import type { PageName } from '../events/outbox.ts';
import { stackSettings } from '../settings.ts';
import { monthOf } from '../time.ts';
import { changedPages, changeOnce, changeRepeatedly } from './change-order.ts';
import { CREATIONS_KEY, type CreationHold } from './creation-hold.ts';
import { sameNotBefore } from './not-before.ts';
import { announcedChanges } from './order-changes.ts';
import type { DataToRemove, OrderItem, PackageDocument, Reported, WaitingFor } from './order-item.ts';
import { pauseIn, pauseKeys, type StagePause } from './stage-pause.ts';

export const findOrder = async (orderRef: string): Promise<OrderItem | undefined> =>
  orderTable.getItem<OrderItem>(orderKey(orderRef));

/** @throws Superseded if another generation now drives the order. */
export const loadOrder = async (orderRef: string, generation: number): Promise<OrderItem> =>
  drivenBy(generation, orderRef, await findOrder(orderRef));

/** An order, and the stage's last pause when it was read. */
export type OrderToCallFor = OrderItem & { pause: StagePause | undefined };

export type CreatedOrder = OrderToCallFor & { orderId: string };

const adoptedTable = () => stackSettings.isTableAdopted && stackSettings.orderTable;

/** What holds back the stage's orders: the last pause, and creations without an answer. */
export interface Holds {
  pause: StagePause | undefined;
  creations: CreationHold | undefined;
}

/** The same in one request, and the order if its reference is given: reads and creations need to know both. */
export async function findHolds(orderRef?: string): Promise<Holds & { order: OrderItem | undefined }> {
  const order = orderRef === undefined ? [] : [orderKey(orderRef)];
  const found = await orderTable.getItems([CREATIONS_KEY, ...pauseKeys(adoptedTable()), ...order]);
  const pauses = found.slice(1, found.length - order.length);
  return {
    creations: found[0] as CreationHold | undefined,
    pause: pauseIn(pauses, adoptedTable()),
    order: (orderRef === undefined ? undefined : found.at(-1)) as OrderItem | undefined,
  };
}

export const findPause = async (): Promise<StagePause | undefined> =>
  pauseIn(await Promise.all(pauseKeys(adoptedTable()).map((one) => orderTable.getItem(one))), adoptedTable());

export function drivenBy<Item extends OrderItem>(generation: number, orderRef: string, order?: Item): Item {
  if (!order) throw new Superseded(`Order ${orderRef} has no record in the order table. Nothing was done.`);
  if (order.generation === generation) return order;
  throw new Superseded(`${drivenByAnother(order)} This one, number ${generation}, stops. Nothing was done.`);
}

export const drivenByAnother = ({ orderRef, generation, execution = `${orderRef}-${generation}` }: OrderItem): string =>
  `Order ${orderRef} is driven by execution ${nameOfExecution(execution)}, its number ${generation}.`;

/** The name in the ARN of an execution. A person may have given it any name. */
export const nameOfExecution = (arn: string) => likeIdentifier(arn.slice(arn.lastIndexOf(':') + 1)) ?? '(not shown)';

/** The name of an execution that the sweep, a command or the previous execution starts. People may use other names. */
export const executionName = (orderRef: string, generation: number) => `${orderRef}-${generation}`;

/**
 * Reads an order that must already have an `orderId`, for a step that may call the service, and in the same request whether the stage is
 * paused. @throws Superseded like {@link loadOrder}.
 */
export async function loadCreatedOrder(orderRef: string, generation: number): Promise<CreatedOrder> {
  const [found, ...others] = await orderTable.getItems([orderKey(orderRef), ...pauseKeys(adoptedTable())]);
  const order = drivenBy(generation, orderRef, found as OrderItem | undefined);
  const { orderId } = order;
  if (!orderId)
    throw new Superseded(`Order ${orderRef} has no orderId, because it was not created yet. Nothing was done.`);
  return { ...order, orderId, pause: pauseIn(others, adoptedTable()) };
}

/** Whom the order waits for, also as the keys of the indexes. An order that is over waits for the removal of its data. */
export function waiting(waitingFor: WaitingFor): Pick<OrderItem, 'waitingFor' | 'openFor'> & { listedUnder: string } {
  if (waitingFor !== 'nobody') return { waitingFor, openFor: waitingFor, listedUnder: waitingFor };
  return { waitingFor, openFor: dataToRemove(undefined), listedUnder: monthOf(new Date().toISOString()) };
}

function reportAfter({ status, statusSince, createdAt, report }: OrderItem, next = status, seen: Seen = {}): Reported {
  const spent = Math.max(0, Math.round((Date.now() - Date.parse(statusSince ?? createdAt)) / 1000));
  const left = next !== status && { [status]: (report?.seconds?.[status] ?? 0) + spent };
  const seconds = { ...report?.seconds, ...left };
  return { offered: report?.offered || seen.offered, taken: report?.taken || seen.taken, seconds };
}

/** Which data of an order that is over the sweep removes next; undefined if all are removed. */
export function dataToRemove(removal: OrderItem['removal']): DataToRemove | undefined {
  if (removal?.files.endedAt === undefined) return 'files-to-remove';
  return removal.record?.endedAt === undefined ? 'record-to-reduce' : undefined;
}

/** Replaces the order's documents by other versions. Returns false if they have changed since the order was read. */
export async function replaceDocuments(order: OrderItem, documents: PackageDocument[]): Promise<boolean> {
  const { orderRef, documentsReplaced: count } = order;
  const condition = count === undefined ? 'attribute_not_exists(#documentsReplaced)' : '#documentsReplaced = :count';
  const changes = { documents, documentsReplaced: (count ?? 0) + 1 };
  return updateOrder(orderRef, changes, condition, count === undefined ? {} : { ':count': count });
}

/**
 * Adds a page to the order's outbox before another item of the record, which the page shows, is changed. The caller sends the outbox after
 * that change. If the caller is interrupted in between, the sweep sends it.
 * @throws Superseded if another generation drives the order, or if it was dismissed.
 */
export async function markPage(order: OrderItem, page: PageName): Promise<OrderItem> {
  const write = { changes: {}, pages: [page], isDated: false, condition: 'generation = :current' };
  const values = { ':current': order.generation };
  const marked = await changeRepeatedly(order, { ...write, values }, () => []);
  if (marked) return marked;
  throw new Superseded(`Order ${order.orderRef} was taken over by another execution, or dismissed. This one stops.`);
}

export interface ReadChange {
  changes: Partial<OrderItem>;
  isDated: boolean;
  /** Pages that do not change. */
  same?: readonly PageName[];
  seen?: Seen;
}

type Seen = Pick<Reported, 'offered' | 'taken'>;

/**
 * Records the result of a read unless the order has changed since: by another read, or by a change that causes an event.
 * @returns the changed order; undefined if it has.
 */
export async function commitRead(
  before: OrderItem,
  { changes, isDated, same: pages = [], seen }: ReadChange,
): Promise<OrderItem | undefined> {
  const same = sameNotBefore(before, changes);
  const { waitingFor } = changes;
  const write = {
    changes: {
      ...changes,
      ...(waitingFor && waiting(waitingFor)),
      report: reportAfter(before, changes.status, seen),
    },
    isDated,
    pages: changedPages(before, changes).filter((page) => !pages.includes(page)),
    condition: `generation = :current AND ${same.condition}`,
    values: { ':current': before.generation, ...same.values },
  };
  return changeOnce(before, write, announcedChanges(before, changes));
}
