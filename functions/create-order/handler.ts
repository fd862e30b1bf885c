import { updateOrder } from '../../core/aws/order-table.ts';
import { changeWaiting, claimOrder } from '../../core/driving/change-record.ts';
import { type Driver, generationOfNamed } from '../../core/driving/drivers.ts';
import { stepHandler } from '../../core/driving/order-step.ts';
import { InvalidPackage, Superseded } from '../../core/errors.ts';
import { memberText } from '../../core/json/lossless-json.ts';
import { stagedOffers, takeDecision } from '../../core/offers/decision-file.ts';
import { readAcceptedPackage } from '../../core/order/accepted-package.ts';
import { endHold, learnFromCreation, waitForTurn } from '../../core/order/creation-hold.ts';
import { type InputWord, takeWord } from '../../core/order/creation-word.ts';
import { postponeReads } from '../../core/order/not-before.ts';
import { type OrderItem, readNotBefore } from '../../core/order/order-item.ts';
import { findOperation, perform } from '../../core/order/order-ledger.ts';
import { executionName, findHolds, nameOfExecution } from '../../core/order/order-record.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import { freeOrderId, holdOrderId } from '../../core/order-service/order-id.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import type { Cursor } from '../../core/reading/cursor.ts';
import { sleepOf, waitOfReadBefore } from '../../core/reading/poll.ts';
import { stackSettings } from '../../core/settings.ts';
import { LONGEST_SLEEP_SECONDS, secondsUntil, timeIn } from '../../core/time.ts';

/**
 * The execution from the Step Functions context, and the input of this step. `handedOver` is true if the previous execution started this
 * one, not a person. `reads` is set if this execution has already tried the creation and was asked to wait.
 */
export interface CreateOrderInput {
  orderRef: string;
  /** The generation in the input. A person may start an execution with the input of an older one, under any name. */
  generation: number;
  execution: { Id: string; Name: string; Input: { handedOver?: boolean; resolve?: InputWord }; RedriveCount?: number };
  cursor?: { reads?: number };
}

/**
 * Claims the order for this execution. Then calls `POST /v1/orders` with the unchanged `order` of the package, at most once
 * per order in all its executions (specification, endpoint 1).
 */
async function createOrder(input: CreateOrderInput): Promise<Cursor> {
  const { orderRef, cursor } = input;
  const isFirstTry = cursor?.reads === undefined;
  const { driver, isByPerson, named } = await driverOf(input);
  const { resolve } = input.execution.Input;
  // Not after a redrive: the operator's report was about an earlier creation than this execution's own.
  const isNew = isFirstTry && driver.redrives === 0 && named?.execution !== driver.execution;
  if (isNew && named && resolve) await takeWord(named, resolve);
  const isRetry = isFirstTry && isByPerson;
  const order = await withoutMistake(await claimOrder(driver, isRetry, stackSettings.release));
  if (isFirstTry) await recordMove(order);
  const { generation, execution } = driver;
  // Its name does not show operators which execution it was.
  if (isFirstTry && named)
    await addToTimeline(orderRef, 'An operator asked for a retry', {
      generation,
      execution: nameOfExecution(execution),
    });
  if (!order.orderId) {
    let held: string | undefined;
    const body = await readOrderData(order);
    const { creations, pause } = await findHolds();
    // One of unknown outcome goes to an operator at once, or is sent again with its idempotency key.
    if (creations && !(await isUnknown(orderRef))) await waitForTurn(order, creations, isRetry);
    const { orderId } = await perform({
      order: { ...order, pause },
      name: 'create',
      unknown: 'never',
      call: async (context) => {
        const created = await orderService(context).createOrder(body);
        // If another of our orders has this orderId, the outcome is unknown.
        await holdOrderId(orderRef, created.orderId);
        held = created.orderId;
        return created;
      },
    }).catch(async (error) => {
      await learnFromCreation(error, creations);
      throw error;
    });
    await endHold(creations);
    if (orderId !== held) await holdOrderId(orderRef, orderId);
    await changeWaiting(order, { orderId, waitingFor: 'service' });
  }
  await takeLateDecision(order);
  return { ...newCursor({ ...input, ...driver }), ...(await waitBeforeReading(order)) };
}

/** This execution as a driver; whether a person has started it; the order if the name or input shows that a person did. */
async function driverOf({ orderRef, generation, execution: { Id, Name, Input, RedriveCount = 0 } }: CreateOrderInput) {
  const driver: Driver = { orderRef, generation, execution: Id, redrives: RedriveCount };
  // Only a person adds `resolve`, even if the execution has the name of the next generation.
  if (Name === executionName(orderRef, generation) && !Input.resolve)
    return { driver, isByPerson: generation > 1 && !Input.handedOver, named: undefined };
  const { order: named, ...next } = await generationOfNamed(driver);
  if (isNameOfAnother(Name, { ...driver, ...next }))
    throw new Superseded(
      `Order ${orderRef} would take execution ${Name} for its number ${Name.slice(orderRef.length + 1)}. Start one with another name. Nothing was done.`,
    );
  return { driver: { ...driver, ...next }, isByPerson: true, named };
}

/** Whether the name is that of another generation, which may be started later. */
function isNameOfAnother(name: string, { orderRef, generation }: Driver): boolean {
  const isNumbered = name.startsWith(`${orderRef}-`) && /^\d+$/.test(name.slice(orderRef.length + 1));
  return isNumbered && name !== executionName(orderRef, generation);
}

const isUnknown = async (orderRef: string) => (await findOperation(orderRef, 'create'))?.knowledge.state === 'open';
/** Until a read is answered, an operator may correct an operator's report about the creation. */
async function withoutMistake(order: OrderItem): Promise<OrderItem> {
  const { orderId, ...rest } = order;
  if (orderId === undefined || order.status !== 'RECEIVED') return order;
  const { knowledge } = (await findOperation(order.orderRef, 'create')) ?? {};
  if (!knowledge || (knowledge.state === 'done' && knowledge.outcome.orderId === orderId)) return order;
  await updateOrder(order.orderRef, { orderId: undefined }, 'generation = :current', { ':current': order.generation });
  await freeOrderId(order.orderRef, orderId);
  return rest;
}

/** Shows operators that the last generation handed over to another release. */
async function recordMove({ orderRef, generation, release = '', moveTo }: OrderItem): Promise<void> {
  if (moveTo?.generation === generation - 1) await addToTimeline(orderRef, 'Continues in another release', { release });
}

function newCursor({ orderRef, generation, cursor }: Pick<CreateOrderInput, 'orderRef' | 'generation' | 'cursor'>) {
  return { orderRef, generation, reads: cursor?.reads ?? 0, repeats: 0, known: {} };
}

function waitBeforeCreation(input: CreateOrderInput, until: string): Cursor {
  return { ...newCursor(input), nextReadAt: until, ...sleepOf(secondsUntil(until)) };
}

/**
 * The wait before this execution's first read. The last execution's last read is not known, because a read that brings nothing new is not
 * recorded. So this execution waits as if a read had just been made. statemachine/README.md, "When the order is read", has the rule.
 */
async function waitBeforeReading(order: OrderItem): Promise<Pick<Cursor, 'pollAfterSeconds' | 'nextReadAt'>> {
  const wait = waitOfReadBefore(order, Date.now());
  const isLong = wait > LONGEST_SLEEP_SECONDS;
  if (isLong) await postponeReads(order.orderRef, timeIn(wait));
  const nextReadAt = readNotBefore(order);
  return { nextReadAt: nextReadAt ?? '', ...sleepOf(Math.max(wait, secondsUntil(nextReadAt))) };
}

/**
 * Takes a decision from intake whose event has not been delivered yet. It may correct a decision that the service refused,
 * which would otherwise be sent again.
 */
async function takeLateDecision(order: OrderItem): Promise<void> {
  const offers = order.status.startsWith('OFFERS_') ? await stagedOffers(order.orderRef) : undefined;
  if (offers) await takeDecision(order, offers);
}

async function readOrderData(order: OrderItem): Promise<string> {
  const data = memberText(await readAcceptedPackage(order), 'order');
  if (data !== undefined) return data;
  throw new InvalidPackage(`Order ${order.orderRef}: the accepted order.json has no member "order". Nothing was sent.`);
}

export const handler = stepHandler(createOrder, waitBeforeCreation);
