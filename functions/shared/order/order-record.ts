import { Superseded } from '../errors.ts';
import type { OrderItem, PackageDocument } from './order-item.ts';
import { changeItem, getItem, putItem, updateItem, type Values } from './order-table.ts';

const key = (orderRef: string) => ({ orderRef, item: 'order' });

export async function findOrder(orderRef: string): Promise<OrderItem | undefined> {
  return getItem<OrderItem>(key(orderRef));
}

/**
 * The order, for the execution that drives it.
 * @throws Superseded when another generation has taken over.
 */
export async function loadOrder(orderRef: string, generation: number): Promise<OrderItem> {
  const order = await findOrder(orderRef);
  if (!order) throw new Superseded(`Order ${orderRef} has no record in the order table. Nothing was done.`);
  if (order.generation === generation) return order;
  throw new Superseded(
    `Order ${orderRef} is driven by execution number ${order.generation} now; this one, number ${generation}, stops. Nothing was done.`,
  );
}

/** The order, which must have its `orderId` by now. */
export async function loadCreatedOrder(orderRef: string, generation: number): Promise<OrderItem & { orderId: string }> {
  const order = await loadOrder(orderRef, generation);
  if (!order.orderId)
    throw new Superseded(`Order ${orderRef} has no orderId yet: it was not created. Nothing was done.`);
  return order as OrderItem & { orderId: string };
}

/** Records a package that passed; false when the order is there already. */
export async function addOrder(order: Omit<OrderItem, 'item' | 'createdAt' | 'changedAt'>): Promise<boolean> {
  const now = new Date().toISOString();
  return putItem({ ...order, item: 'order', createdAt: now, changedAt: now }, 'attribute_not_exists(orderRef)');
}

/** Gives the order other versions of its documents; false when they are not as they were read any more. */
export async function replaceDocuments(order: OrderItem, documents: PackageDocument[]): Promise<boolean> {
  const { orderRef, documentsReplaced: known } = order;
  const condition = known === undefined ? 'attribute_not_exists(#documentsReplaced)' : '#documentsReplaced = :known';
  const changes = { documents, documentsReplaced: (known ?? 0) + 1 };
  return updateItem(key(orderRef), changes, condition, known === undefined ? {} : { ':known': known });
}

/** An execution of the order, by its number and its ARN. */
export interface Driver {
  orderRef: string;
  generation: number;
  execution: string;
}

const OF_THIS_EXECUTION = '(attribute_not_exists(#execution) OR #execution = :execution)';

/**
 * Makes this execution the one that drives the order, unless its own end is recorded already: a function outlives an execution that is
 * aborted, and nobody would look after what it began.
 * @param isRetry whether a person has started it.
 * @throws Superseded then, or when a later generation drives the order, or another execution of the same one.
 */
export async function claimOrder({ orderRef, generation, execution }: Driver, isRetry: boolean): Promise<OrderItem> {
  const claimed = await changeItem<OrderItem>(
    key(orderRef),
    { generation, execution, waitingFor: 'service', failure: undefined, ...(isRetry && { retriedIn: generation }) },
    `attribute_exists(orderRef) AND (#generation < :generation OR (#generation = :generation AND attribute_not_exists(#failure) AND ${OF_THIS_EXECUTION}))`,
  );
  if (claimed) return claimed;
  throw new Superseded(
    `Order ${orderRef} is driven by another execution, or has no record, or this execution has ended. This one stops; nothing was done.`,
  );
}

/**
 * Records that an execution ended without success. One that failed before it could claim the order counts as the one that drove it, so
 * that its end is seen, and it claims nothing afterwards.
 * @param end with the status that the order had when for whom it waits was found out.
 * @returns false when nothing is recorded: another execution drives the order ({@link isSuperseded}), or its status has changed.
 */
export async function recordEndOf(
  { orderRef, generation, execution }: Driver,
  end: Required<Pick<OrderItem, 'failure' | 'waitingFor' | 'status'>>,
): Promise<boolean> {
  return updateItem(
    key(orderRef),
    { generation, execution, ...end, awaited: undefined, changedAt: new Date().toISOString() },
    `#status = :status AND (#generation < :generation OR (#generation = :generation AND ${OF_THIS_EXECUTION}))`,
  );
}

/** Whether another execution drives the order, and not this one, which may be about to. */
export function isSuperseded(order: OrderItem, { generation, execution }: Driver): boolean {
  if (order.generation !== generation) return order.generation > generation;
  return order.execution !== undefined && order.execution !== execution;
}

/** Changes the order as long as `generation` drives it; the change's time goes with it. */
export async function changeOrder(
  order: Pick<OrderItem, 'orderRef' | 'generation'>,
  changes: Partial<OrderItem>,
): Promise<void> {
  if (await change(order, changes, 'generation = :current')) return;
  throw new Superseded(`Order ${order.orderRef} was taken over by another execution. This one stops.`);
}

/**
 * Changes for whom the order waits. Once the end of its execution is recorded, an order that is not final waits for an operator,
 * whatever a function of that execution that was still at work finds out; the rest of the change is recorded all the same. So is it
 * where another function has found the order in another status since it was read.
 * @returns whether the order waits as the change says.
 */
export async function changeWaiting(
  order: Pick<OrderItem, 'orderRef' | 'generation' | 'status'>,
  { waitingFor, ...changes }: Partial<OrderItem> & Pick<OrderItem, 'waitingFor'>,
): Promise<boolean> {
  const conditions = ['generation = :current'];
  if (waitingFor !== 'nobody') conditions.push('attribute_not_exists(failure)');
  if (changes.status === undefined) conditions.push('#status = :status');
  const whole = { status: order.status, ...changes, waitingFor };
  if (await change(order, whole, conditions.join(' AND '))) return true;
  await changeOrder(order, changes);
  return false;
}

function change(
  { orderRef, generation }: Pick<OrderItem, 'orderRef' | 'generation'>,
  changes: Partial<OrderItem>,
  condition: string,
): Promise<boolean> {
  const dated = { ...changes, changedAt: new Date().toISOString() } as Values;
  return updateItem(key(orderRef), dated, condition, { ':current': generation });
}
