import { Superseded } from '../errors.ts';
import { logger } from '../log.ts';
import { changeRepeatedly } from '../order/change-order.ts';
import { resumed } from '../order/order-changes.ts';
import { attemptNumber, isFinal, NOT_ASKED, type OrderItem } from '../order/order-item.ts';
import { drivenByAnother, executionName, findOrder, nameOfExecution, waiting } from '../order/order-record.ts';
import { addToTimeline } from '../order/timeline.ts';

// Who drives an order: an execution, and how often a person has redriven it.

export interface Driver {
  orderRef: string;
  generation: number;
  /** Its ARN. */
  execution: string;
  redrives: number;
}

export const OF_THIS_EXECUTION = '(attribute_not_exists(#execution) OR #execution = :execution)';
/** No later attempt of the same execution has claimed the order, and none has ended. */
export const NOT_LATER = '(attribute_not_exists(#redrives) OR #redrives <= :redrives)';
const EARLIER = '(attribute_not_exists(#redrives) OR #redrives < :redrives)';

/** The condition that an earlier attempt of this execution drives the order, or this attempt, which has not ended. */
export function mayGoOn({ redrives }: Driver): string {
  const same = `(attribute_not_exists(#failure) AND ${NOT_LATER})`;
  return `#generation = :generation AND ${OF_THIS_EXECUTION} AND ${redrives > 0 ? `(${same} OR ${EARLIER})` : same}`;
}

/** What a retry or a redrive resets: the counts, and the patience with the service. */
export const restarted = (attempt: Pick<Driver, 'generation' | 'redrives'>) => ({
  retriedIn: attemptNumber(attempt),
  resume: undefined,
});

/**
 * Gives the order back to an execution that was redriven, before a step of it does anything, and adds that to the timeline. Sends no
 * outbox: a step need not have the right to send events.
 * @returns the order if it was claimed just now.
 * @throws Superseded, with a message for the person who redrove it, if another execution drives the order or it is over.
 */
export async function claimRedriven(driver: Driver): Promise<OrderItem | undefined> {
  const { orderRef, generation, redrives } = driver;
  const before = await findOrder(orderRef);
  if (before && isAttempt(before, driver) && !before.failure && !isEnded(before)) return undefined;
  if (before && before.generation === generation && !isEnded(before)) {
    const changes = {
      generation,
      execution: driver.execution,
      redrives,
      ...waiting('service'),
      failure: undefined,
      stoppedAt: before.failure?.at ?? new Date().toISOString(),
      // Without a recorded failure, the cause of the last end is unknown.
      ...(!before.failure && NOT_ASKED),
      ...restarted(driver),
    };
    const condition = `${mayGoOn(driver)} AND ${EARLIER}`;
    const claimed = await changeRepeatedly(before, { changes, isDated: false, condition }, (order) =>
      resumed(order, generation, false),
    );
    if (claimed) {
      logger.info('The execution was redriven', { redrives });
      await addToTimeline(orderRef, 'An operator has redriven the execution', { generation, redrives });
      return claimed;
    }
  }
  const now = await findOrder(orderRef);
  if (!now || !isAttempt(now, driver) || now.failure) throw notTheDriver(now, driver);
  return undefined;
}

/** Whether this attempt has claimed the order, or its end is recorded. */
export const isAttempt = (order: OrderItem, { generation, execution, redrives }: Driver): boolean =>
  order.generation === generation && order.execution === execution && (order.redrives ?? 0) === redrives;

const isEnded = ({ status, dismissed, removal }: OrderItem) =>
  isFinal(status) || dismissed !== undefined || removal !== undefined;

export function notTheDriver(
  order: OrderItem | undefined,
  { orderRef, generation, execution, redrives }: Driver,
): Superseded {
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
 * The number of an execution whose name is not that of a generation: a person has started it, usually with the input of an older one. It
 * drives the order as its next generation, if no other execution does.
 * @throws Superseded, with a message for that person.
 */
export async function generationOfNamed(driver: Driver): Promise<{ order: OrderItem; generation: number }> {
  const { orderRef, execution } = driver;
  const order = await findOrder(orderRef);
  if (!order || isEnded(order)) throw notTheDriver(order, driver);
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

/** Whether another execution, or a later attempt of this one, drives the order. False if this one has not claimed it yet, but may. */
export function isSuperseded(order: OrderItem, { generation, execution, redrives }: Driver): boolean {
  if (order.generation !== generation) return order.generation > generation;
  if (order.execution !== undefined && order.execution !== execution) return true;
  return (order.redrives ?? 0) > redrives;
}
