import { changeItem, getItem, getItems, updateOrder } from '../aws/order-table.ts';
import { Superseded } from '../errors.ts';
import type { PageName } from '../events/outbox.ts';
import { stackSettings } from '../settings.ts';
import { addOnce, changedPages, changeOnce, changeRepeatedly } from './change-order.ts';
import { CREATIONS_KEY, type CreationHold } from './creation-hold.ts';
import { sameNotBefore } from './not-before.ts';
import { changesOf, failed, resumed } from './order-changes.ts';
import { attemptNumber, isFinal, type OrderItem, type PackageDocument, type WaitingFor } from './order-item.ts';
import { pauseIn, pauseKeys, type StagePause } from './stage-pause.ts';

const key = (orderRef: string) => ({ orderRef, item: 'order' });

export async function findOrder(orderRef: string): Promise<OrderItem | undefined> {
  return getItem<OrderItem>(key(orderRef));
}

/** @throws Superseded if another generation than this one drives the order by now. */
export async function loadOrder(orderRef: string, generation: number): Promise<OrderItem> {
  return drivenBy(generation, orderRef, await findOrder(orderRef));
}

/** An order, and the stage's last pause when it was read. */
export type OrderToCallFor = OrderItem & { pause: StagePause | undefined };

export type CreatedOrder = OrderToCallFor & { orderId: string };

const adoptedTable = () => stackSettings.isTableAdopted && stackSettings.orderTable;

/** Reads in the same request whether the stage is paused. @throws Superseded like {@link loadOrder}. */
export async function loadOrderToCallFor(orderRef: string, generation: number): Promise<OrderToCallFor> {
  const [order, ...others] = await getItems([key(orderRef), ...pauseKeys(adoptedTable())]);
  const driven = drivenBy(generation, orderRef, order as OrderItem | undefined);
  return { ...driven, pause: pauseIn(others, adoptedTable()) };
}

/** What holds the stage's orders back: the last pause, and creations without an answer. */
export interface Holds {
  pause: StagePause | undefined;
  creations: CreationHold | undefined;
}

/** The same in one request, and the order if its reference is given: reads and creations need to know both. */
export async function findHolds(orderRef?: string): Promise<Holds & { order: OrderItem | undefined }> {
  const order = orderRef === undefined ? [] : [key(orderRef)];
  const found = await getItems([CREATIONS_KEY, ...pauseKeys(adoptedTable()), ...order]);
  const pauses = found.slice(1, found.length - order.length);
  return {
    creations: found[0] as CreationHold | undefined,
    pause: pauseIn(pauses, adoptedTable()),
    order: (orderRef === undefined ? undefined : found.at(-1)) as OrderItem | undefined,
  };
}

/** The stage's last pause. */
export async function findPause(): Promise<StagePause | undefined> {
  return pauseIn(await Promise.all(pauseKeys(adoptedTable()).map((one) => getItem(one))), adoptedTable());
}

export function drivenBy<Item extends OrderItem>(generation: number, orderRef: string, order?: Item): Item {
  if (!order) throw new Superseded(`Order ${orderRef} has no record in the order table. Nothing was done.`);
  if (order.generation === generation) return order;
  throw new Superseded(`${drivenByAnother(order)} This one, number ${generation}, stops. Nothing was done.`);
}

/** Names the execution that drives the order. */
function drivenByAnother({ orderRef, generation, execution = `${orderRef}-${generation}` }: OrderItem): string {
  return `Order ${orderRef} is driven by execution ${nameOfExecution(execution)}, its number ${generation}.`;
}

/** The name in the ARN of an execution. */
export const nameOfExecution = (execution: string) => execution.slice(execution.lastIndexOf(':') + 1);

/** The name of the execution that the sweep, a command or the execution before starts. People may give others. */
export const executionName = (orderRef: string, generation: number) => `${orderRef}-${generation}`;

/** Reads an order that must have an `orderId` by now, for a step that may call the service. */
export async function loadCreatedOrder(orderRef: string, generation: number): Promise<CreatedOrder> {
  const order = await loadOrderToCallFor(orderRef, generation);
  if (!order.orderId)
    throw new Superseded(`Order ${orderRef} has no orderId, because it was not created yet. Nothing was done.`);
  return order as CreatedOrder;
}

/** Records a new order. Returns undefined if it is recorded already. */
export async function addOrder(
  order: Omit<OrderItem, 'item' | 'createdAt' | 'changedAt' | 'notBefore'>,
): Promise<OrderItem | undefined> {
  const now = new Date().toISOString();
  const { status } = order;
  const item = {
    ...order,
    ...waiting(order.waitingFor),
    notBefore: {},
    item: 'order' as const,
    createdAt: now,
    changedAt: now,
  };
  return addOnce(item, [{ type: 'Order Status Changed', status }]);
}

/** For whom the order waits, also as the key of the index. An order that is over waits for the removal of its files. */
function waiting(waitingFor: WaitingFor): Pick<OrderItem, 'waitingFor' | 'openFor'> {
  return { waitingFor, openFor: waitingFor === 'nobody' ? 'files-to-remove' : waitingFor };
}

/** Replaces the order's documents by other versions. Returns false if they have changed since the order was read. */
export async function replaceDocuments(order: OrderItem, documents: PackageDocument[]): Promise<boolean> {
  const { orderRef, documentsReplaced: count } = order;
  const condition = count === undefined ? 'attribute_not_exists(#documentsReplaced)' : '#documentsReplaced = :count';
  const changes = { documents, documentsReplaced: (count ?? 0) + 1 };
  return updateOrder(orderRef, changes, condition, count === undefined ? {} : { ':count': count });
}

export interface Driver {
  orderRef: string;
  generation: number;
  /** Its ARN. */
  execution: string;
  /** How often it was redriven. */
  redrives: number;
}

const OF_THIS_EXECUTION = '(attribute_not_exists(#execution) OR #execution = :execution)';
/** No later attempt of the same execution has claimed the order, and none has ended. */
const NOT_LATER = '(attribute_not_exists(#redrives) OR #redrives <= :redrives)';
const EARLIER = '(attribute_not_exists(#redrives) OR #redrives < :redrives)';

/** The order is in the hands of an earlier attempt of this execution, or in those of this attempt, which has not ended. */
function mayGoOn({ redrives }: Driver): string {
  const same = `(attribute_not_exists(#failure) AND ${NOT_LATER})`;
  return `#generation = :generation AND ${OF_THIS_EXECUTION} AND ${redrives > 0 ? `(${same} OR ${EARLIER})` : same}`;
}

/** What a retry or a redrive starts again: the counts, and the patience with the service. */
const restarted = (attempt: Pick<Driver, 'generation' | 'redrives'>) => ({
  retriedIn: attemptNumber(attempt),
  resume: undefined,
});

/**
 * Makes this execution the one that drives the order.
 * @param isRetry whether a person started the execution.
 * @throws Superseded if another execution drives the order, or if this execution has ended: its function may still run then.
 */
export async function claimOrder(driver: Driver, isRetry: boolean, release: string): Promise<OrderItem> {
  const { orderRef, generation, execution, redrives } = driver;
  // Only a later attempt can find an earlier failure, which causes an event.
  const before = generation === 1 && redrives === 0 ? undefined : await findOrder(orderRef);
  const isRedriven = before !== undefined && redrives > 0 && !isAttempt(before, driver);
  const changes = {
    generation,
    execution,
    redrives,
    release,
    ...waiting('service'),
    failure: undefined,
    // It waits and reads first.
    stoppedAt: undefined,
    ...((isRetry || isRedriven) && restarted(driver)),
  };
  const condition = `attribute_exists(packageVersionId) AND (#generation < :generation OR (${mayGoOn(driver)}))`;
  const claimed = before
    ? await changeRepeatedly(before, { changes, isDated: false, condition }, (order) =>
        resumed(order, generation, !isRetry && !isRedriven),
      )
    : await changeItem<OrderItem>(key(orderRef), changes, condition);
  if (claimed) return claimed;
  throw refusal(await findOrder(orderRef), driver);
}

/**
 * Gives the order back to an execution that was redriven, before a step of it does anything.
 * @returns the order; whether it was claimed just now.
 * @throws Superseded in words for the person who has redriven it: another execution drives the order, or it is over.
 */
export async function claimRedriven(driver: Driver): Promise<{ order: OrderItem; isNew: boolean }> {
  const { orderRef, generation, redrives } = driver;
  const before = await findOrder(orderRef);
  if (before && isAttempt(before, driver) && !before.failure && !isEnded(before))
    return { order: before, isNew: false };
  if (before && before.generation === generation && !isEnded(before)) {
    const changes = {
      generation,
      execution: driver.execution,
      redrives,
      ...waiting('service'),
      failure: undefined,
      stoppedAt: before.failure?.at ?? new Date().toISOString(),
      // Nobody knows why the attempt before ended if that was not recorded.
      ...(!before.failure && { awaited: undefined }),
      ...restarted(driver),
    };
    const condition = `${mayGoOn(driver)} AND ${EARLIER}`;
    const claimed = await changeRepeatedly(before, { changes, isDated: false, condition }, (order) =>
      resumed(order, generation, false),
    );
    if (claimed) return { order: claimed, isNew: true };
  }
  const now = await findOrder(orderRef);
  if (now && isAttempt(now, driver) && !now.failure) return { order: now, isNew: false };
  throw refusal(now, driver);
}

/** Whether this attempt has claimed the order, or its end is recorded. */
function isAttempt(order: OrderItem, { generation, execution, redrives }: Driver): boolean {
  return order.generation === generation && order.execution === execution && (order.redrives ?? 0) === redrives;
}

const isEnded = ({ status, dismissed, removal }: OrderItem) =>
  isFinal(status) || dismissed !== undefined || removal !== undefined;

/** Why an execution may not drive the order, in words. */
function refusal(order: OrderItem | undefined, { orderRef, generation, execution, redrives }: Driver): Superseded {
  const why = () => {
    if (!order) return `Order ${orderRef} has no record.`;
    const { status, dismissed, removal, failure } = order;
    if (removal) return `The files of order ${orderRef} were removed. Upload the package under a new orderRef.`;
    if (dismissed) return `Order ${orderRef} was dismissed. "loan-orders retry ${orderRef}" brings it back.`;
    if (isFinal(status)) return `Order ${orderRef} is ${status}, which is final.`;
    const isOwn = order.generation === generation && (order.execution ?? execution) === execution;
    if (isOwn) return `This execution has ended${(order.redrives ?? 0) > redrives ? ' and was redriven' : ''}.`;
    return failure
      ? `${drivenByAnother(order).replace('is driven', 'was driven last')} Redrive that one, or start a new execution with the same input.`
      : drivenByAnother(order);
  };
  return new Superseded(`${why()} This execution stops. Nothing was done.`);
}

/**
 * The number of an execution whose name is not that of a generation: a person has started it, usually with the input of an older one.
 * It drives the order as its next generation, if no other execution does.
 * @throws Superseded in words for that person.
 */
export async function generationOfNamed(driver: Driver): Promise<{ order: OrderItem; generation: number }> {
  const { orderRef, execution } = driver;
  const order = await findOrder(orderRef);
  if (!order || isEnded(order)) throw refusal(order, driver);
  const { generation } = order;
  if (order.execution === execution) return { order, generation };
  if (order.failure) return { order, generation: generation + 1 };
  throw new Superseded(
    `${drivenByAnother(order)} This execution stops. Nothing was done. If that one has ended, its end is recorded within minutes: start a new one then.`,
  );
}

/**
 * The generation of an execution of the order, from its name or from the record; undefined if a person started it and it has not
 * claimed the order.
 * @param named what the input of the execution says.
 */
export function generationOf(order: OrderItem, execution: string, named: number): number | undefined {
  if (order.execution === execution) return order.generation;
  return nameOfExecution(execution) === executionName(order.orderRef, named) ? named : undefined;
}

/**
 * Records that an execution ended without success, also if it never claimed the order. It cannot claim the order any more, unless it is
 * redriven.
 * @param before the order from which `end` was derived. The write fails if its status has changed.
 * @returns the changed order; undefined if nothing was recorded: the status has changed, another execution drives the order, or it was
 * dismissed.
 */
export async function recordEndOf(
  before: OrderItem,
  { generation, execution, redrives }: Omit<Driver, 'orderRef'>,
  end: Required<Pick<OrderItem, 'failure' | 'waitingFor'>> & Pick<OrderItem, 'resume'>,
): Promise<OrderItem | undefined> {
  const wasOver = isFinal(before.status);
  const changes = {
    generation,
    execution,
    redrives,
    status: before.status,
    ...end,
    // What is removed next of an order that is over, and when, has been recorded.
    ...(wasOver ? {} : waiting(end.waitingFor)),
    resume: end.resume,
    // An outage does not give people more time.
    ...(end.resume ? {} : { awaited: undefined }),
  };
  const condition = `#status = :status AND (#generation < :generation OR (#generation = :generation AND ${OF_THIS_EXECUTION} AND ${NOT_LATER}))`;
  const write = { changes, isDated: !wasOver, condition };
  return changeOnce(before, write, failed(before, { ...end, generation, redrives }));
}

/**
 * Ends an order that an operator has dismissed. The operator's clock and words do not count for retention: it begins now.
 * @returns the changed order; undefined if it was brought back, or is ended already.
 */
export async function endDismissed(orderRef: string): Promise<OrderItem | undefined> {
  const before = await findOrder(orderRef);
  const changes = { ...waiting('nobody'), resume: undefined, awaited: undefined };
  const write = { changes, pages: ['status.json' as const], isDated: true, condition: '#openFor <> :openFor' };
  return before && changeOnce(before, { ...write, isDismissed: true }, [{ type: 'Order Ended', end: 'DISMISSED' }]);
}

/** Whether another execution, or a later attempt of this one, drives the order. False if this one has not claimed it yet, but may. */
export function isSuperseded(order: OrderItem, { generation, execution, redrives }: Driver): boolean {
  if (order.generation !== generation) return order.generation > generation;
  if (order.execution !== undefined && order.execution !== execution) return true;
  return (order.redrives ?? 0) > redrives;
}

/**
 * Adds a page to the order's outbox, before another item of the record changes that the page shows. Whoever calls this sends the outbox
 * after that change. If it is interrupted in between, the sweep does.
 * @throws Superseded if another generation drives the order, or if it was dismissed.
 */
export async function markPage(order: OrderItem, page: PageName): Promise<OrderItem> {
  const write = { changes: {}, pages: [page], isDated: false, condition: 'generation = :current' };
  const values = { ':current': order.generation };
  const marked = await changeRepeatedly(order, { ...write, values }, () => []);
  if (marked) return marked;
  throw new Superseded(`Order ${order.orderRef} was taken over by another execution, or dismissed. This one stops.`);
}

/**
 * Changes the order and `waitingFor`. A late function must not change `waitingFor` if the end of its execution is recorded
 * (then the order waits for an operator), or if the status has changed. In these cases only the other changes are recorded.
 * @throws Superseded if another generation drives the order.
 */
export async function changeWaiting(
  order: OrderItem,
  { waitingFor, ...changes }: Partial<OrderItem> & Pick<OrderItem, 'waitingFor'>,
): Promise<OrderItem> {
  const same = 'generation = :current AND attribute_not_exists(failure) AND #status = :status';
  const changed = await change(order, { status: order.status, ...changes, waitingFor }, same);
  const kept = changed ?? (await change(order, changes, 'generation = :current'));
  if (kept) return kept;
  throw new Superseded(`Order ${order.orderRef} was taken over by another execution. This one stops.`);
}

export interface ReadChange {
  changes: Partial<OrderItem>;
  isDated: boolean;
  /** Pages that stay as they are. */
  same?: readonly PageName[];
}

/**
 * Records what a read has brought, if nothing has changed since the order was read: no other read, and nothing that causes an event.
 * @returns the changed order; undefined if something has.
 */
export async function commitRead(
  before: OrderItem,
  { changes, isDated, same: pages = [] }: ReadChange,
): Promise<OrderItem | undefined> {
  const same = sameNotBefore(before, changes);
  const { waitingFor } = changes;
  const write = {
    changes: { ...changes, ...(waitingFor && waiting(waitingFor)) },
    isDated,
    pages: changedPages(before, changes).filter((page) => !pages.includes(page)),
    condition: `generation = :current AND ${same.condition}`,
    values: { ':current': before.generation, ...same.values },
  };
  return changeOnce(before, write, changesOf(before, changes));
}

function change(order: OrderItem, changes: Partial<OrderItem>, condition: string): Promise<OrderItem | undefined> {
  const { waitingFor } = changes;
  const whole = { ...changes, ...(waitingFor && waiting(waitingFor)) };
  const write = { changes: whole, isDated: true, condition, values: { ':current': order.generation } };
  return changeRepeatedly(order, write, (before) => changesOf(before, changes));
}
