import { isDeepStrictEqual } from 'node:util';
import { orderKey, orderTable } from '../aws/order-table.ts';
import { Superseded } from '../errors.ts';
import { withOutbox } from '../events/outbox.ts';
import { changeOnce, changeRepeatedly } from '../order/change-order.ts';
import { dueOf, type Offers, reminderAt } from '../order/due.ts';
import { announcedChanges, failed, resumed } from '../order/order-changes.ts';
import { type Awaited, isFinal, NOT_ASKED, type OrderItem } from '../order/order-item.ts';
import { findOrder, waiting } from '../order/order-record.ts';
import { deadlineSettings } from '../settings.ts';
import { outboxSent } from '../staging/send-outbox.ts';
import { type Driver, isAttempt, mayGoOn, NOT_LATER, notTheDriver, OF_THIS_EXECUTION, restarted } from './drivers.ts';

// Changes of an order's record that cause events or change pages. Each sends the order's outbox afterwards.

/** Records a new order. Returns undefined if it already exists. */
export async function addOrder(
  order: Omit<OrderItem, 'item' | 'createdAt' | 'changedAt' | 'notBefore'>,
): Promise<OrderItem | undefined> {
  const { orderRef, status } = order;
  const now = new Date().toISOString();
  const added = {
    ...order,
    ...waiting(order.waitingFor),
    notBefore: {},
    item: 'order' as const,
    createdAt: now,
    changedAt: now,
    ...withOutbox({ orderRef }, [{ type: 'Order Status Changed', status }], ['status.json']),
  };
  const isNew = await orderTable.putItem(added, 'attribute_not_exists(packageVersionId)');
  return isNew ? outboxSent(added) : undefined;
}

/**
 * Makes this execution the one that drives the order.
 * @param isRetry whether a person started the execution.
 * @throws Superseded if another execution drives the order, or if this execution has ended (its function may still run).
 */
export async function claimOrder(driver: Driver, isRetry: boolean, release: string): Promise<OrderItem> {
  const { orderRef, generation, execution, redrives } = driver;
  // Only a later attempt can follow a failure, whose end causes an event.
  const before = generation === 1 && redrives === 0 ? undefined : await findOrder(orderRef);
  const isRedriven = before !== undefined && redrives > 0 && !isAttempt(before, driver);
  const changes = {
    generation,
    execution,
    redrives,
    release,
    ...waiting('service'),
    failure: undefined,
    // A claim is followed by a wait and a read, so nothing is stale.
    stoppedAt: undefined,
    ...((isRetry || isRedriven) && restarted(driver)),
  };
  const condition = `attribute_exists(packageVersionId) AND (#generation < :generation OR (${mayGoOn(driver)}))`;
  const claimed = before
    ? await changeRepeatedly(before, { changes, isDated: false, condition }, (order) =>
        resumed(order, generation, !isRetry && !isRedriven),
      )
    : await orderTable.changeItem<OrderItem>(orderKey(orderRef), changes, condition);
  if (claimed) return outboxSent(claimed);
  throw notTheDriver(await findOrder(orderRef), driver);
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
    // If the order is over, `openFor` already says what to remove next.
    ...(wasOver ? {} : waiting(end.waitingFor)),
    resume: end.resume,
    // An outage does not extend the deadline for people.
    ...(end.resume ? {} : NOT_ASKED),
  };
  const condition = `#status = :status AND (#generation < :generation OR (#generation = :generation AND ${OF_THIS_EXECUTION} AND ${NOT_LATER}))`;
  const write = { changes, isDated: !wasOver, condition };
  return outboxSent(await changeOnce(before, write, failed(before, { ...end, generation, redrives })));
}

/**
 * Ends an order that an operator has dismissed. Retention begins now, whatever time the operator recorded.
 * @returns the changed order; undefined if it was brought back, or is ended already.
 */
export async function endDismissed(orderRef: string): Promise<OrderItem | undefined> {
  const before = await findOrder(orderRef);
  const changes = { ...waiting('nobody'), resume: undefined, ...NOT_ASKED };
  const write = { changes, pages: ['status.json' as const], isDated: true, condition: '#openFor <> :openFor' };
  const ended = { ...write, isDismissed: true as const };
  return before && outboxSent(await changeOnce(before, ended, [{ type: 'Order Ended', end: 'DISMISSED' }]));
}

/** What people are asked for. */
type Request = Pick<OrderItem, 'waitingFor'> & { awaited: Awaited; decisionReason?: string | undefined };

/** Records what people are asked for, until when, and that they are reminded. A repeat without a change writes nothing. */
export async function askPeople(order: OrderItem, request: Request, offers?: Offers): Promise<void> {
  const { awaited } = request;
  const due = dueOf(awaited, offers, deadlineSettings);
  const now = Date.now();
  const isNear = now >= reminderAt(awaited.since, due) && now < Date.parse(due);
  const changes = { ...request, due, ...(isNear && { remindedFor: awaited.since }) };
  const isSame = ([name, value]: [string, unknown]) => isDeepStrictEqual(order[name as keyof OrderItem], value);
  if (!Object.entries(changes).every(isSame)) await changeWaiting(order, changes);
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
  if (kept) return outboxSent(kept);
  throw new Superseded(`Order ${order.orderRef} was taken over by another execution. This one stops.`);
}

function change(order: OrderItem, changes: Partial<OrderItem>, condition: string): Promise<OrderItem | undefined> {
  const { waitingFor } = changes;
  const whole = { ...changes, ...(waitingFor && waiting(waitingFor)) };
  const write = { changes: whole, isDated: true, condition, values: { ':current': order.generation } };
  return changeRepeatedly(order, write, (before) => announcedChanges(before, changes));
}
