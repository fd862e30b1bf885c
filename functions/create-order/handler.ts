import { readObject } from '../shared/aws/storage.ts';
import { environment, environmentNumber } from '../shared/environment.ts';
import { InvalidPackage } from '../shared/errors.ts';
import { memberText } from '../shared/json/lossless-json.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { stagedOffers, takeDecision } from '../shared/offers/decision-file.ts';
import type { Cursor } from '../shared/order/cursor.ts';
import { packageKey } from '../shared/order/intake-key.ts';
import { operatorLog } from '../shared/order/operator-log.ts';
import { holdOrderId } from '../shared/order/order-id.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import { perform } from '../shared/order/order-ledger.ts';
import { changeWaiting, claimOrder, type Driver } from '../shared/order/order-record.ts';
import { orderService } from '../shared/order/order-service.ts';
import { stageStatus } from '../shared/order/staging.ts';
import { addEvent } from '../shared/order/timeline.ts';
import { notReadBefore } from '../shared/polling/next-read.ts';
import { LONGEST_WAIT_SECONDS, secondsUntil } from '../shared/time.ts';

/**
 * The execution that claims the order, and what it was started with: one that was handed the order over says so. Absent in executions that
 * began before it travelled.
 */
export type CreateOrderInput = Driver & { input?: { handedOver?: boolean } };

/**
 * Claims the order for this execution, then `POST /v1/orders` with the package's `order` exactly as it stands; at most
 * once per order, whatever the execution (specification, endpoint 1).
 */
async function createOrder(input: CreateOrderInput): Promise<Cursor> {
  const { orderRef, generation } = input;
  const order = await claimOrder(input, generation > 1 && !input.input?.handedOver);
  // What was staged when the execution before this one ended is not so any more.
  if (generation > 1) await stageStatus(order);
  if (!order.orderId) {
    const body = await readOrderData(order);
    const { orderId } = await perform({
      order,
      name: 'create',
      unknown: 'never',
      call: () => createAtService(orderRef, body),
    });
    await changeWaiting(order, { orderId, waitingFor: 'service' });
    await addEvent(orderRef, 'Order created', { orderId });
  }
  await takeLateDecision(order);
  return { orderRef, generation, reads: 0, repeats: 0, known: {}, ...waitBeforeReading(order) };
}

/**
 * The creation, whose answer is not taken on where it names an order that is another of ours: nobody knows then whether there is a new one.
 */
async function createAtService(orderRef: string, body: string): Promise<{ orderId: string }> {
  const created = await orderService().createOrder(body);
  await holdOrderId(orderRef, created.orderId);
  return created;
}

/**
 * Nobody knows when an execution before this one last read the order, since a read that brings nothing new writes nothing: the
 * whole wait that the order had then is kept, and a longer one where the record asks for it. A function of an aborted execution may be at
 * a read this moment: its call may take as long before the wait counts, and the stage's fallback stands for a wait that nobody knows yet.
 * What its answer asks for beyond that is recorded by the time that this wait is over (`recordNextRead`).
 */
function waitBeforeReading(order: OrderItem): Pick<Cursor, 'pollAfterSeconds' | 'nextReadAt'> {
  const nextReadAt = notReadBefore(order);
  const wait = Math.max(waitOfReadBefore(order), secondsUntil(nextReadAt));
  const pollAfterSeconds = Math.min(wait, LONGEST_WAIT_SECONDS);
  return { pollAfterSeconds, nextReadAt: nextReadAt ?? '' };
}

/** Seconds that a read of an execution before this one asks for, if there may have been one. */
function waitOfReadBefore({ orderId, pollAfterSeconds }: OrderItem): number {
  if (orderId === undefined) return 0;
  const longestCall = Math.ceil(environmentNumber('CALL_TIMEOUT_MILLISECONDS') / 1000);
  return longestCall + (pollAfterSeconds ?? environmentNumber('POLL_DEFAULT_SECONDS'));
}

/**
 * A decision that corrects an earlier one may be in intake before its event has been delivered: an execution that takes the order
 * over looks there itself, so that it does not repeat what was refused.
 */
async function takeLateDecision(order: OrderItem): Promise<void> {
  const offers = order.status.startsWith('OFFERS_') ? await stagedOffers(order.orderRef) : undefined;
  if (offers) await takeDecision(order, offers);
}

async function readOrderData(order: OrderItem): Promise<string> {
  const file = {
    bucket: environment('INTAKE_BUCKET'),
    key: packageKey(order.orderRef),
    versionId: order.packageVersionId,
  };
  const stored = await readObject(file);
  const data = stored && memberText(new TextDecoder().decode(stored.bytes), 'order');
  if (data !== undefined) return data;
  throw new InvalidPackage(
    `Order ${order.orderRef}: the version of order.json that was accepted is gone from intake. Nothing was sent.`,
  );
}

export const handler = lambdaHandler(createOrder).use(operatorLog());
