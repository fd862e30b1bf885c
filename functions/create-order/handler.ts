import middy from '@middy/core';
import { stagedOffers, takeDecision } from '../shared/decision-file.ts';
import { environment } from '../shared/environment.ts';
import { InvalidPackage } from '../shared/errors.ts';
import { packageKey } from '../shared/intake-key.ts';
import { perform } from '../shared/ledger.ts';
import { memberText } from '../shared/lossless-json.ts';
import { operatorLog } from '../shared/operator-log.ts';
import { addEvent, changeOrder, claimOrder, type OrderItem } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import { readObject } from '../shared/storage.ts';

export interface CreateOrderInput {
  orderRef: string;
  generation: number;
  /** ARN of the execution, which claims the order. */
  execution: string;
}

/** What the state machine carries from here on: references and counters, no data. */
export interface Cursor {
  orderRef: string;
  generation: number;
  /** Reads that this execution has made. */
  reads: number;
  /** Reads in a row that brought a status with nothing left to do. */
  repeats: number;
}

/**
 * Claims the order for this execution, then `POST /v1/orders` with the package's `order` exactly as it stands; at most
 * once per order, whatever the execution (specification, endpoint 1).
 */
async function createOrder(input: CreateOrderInput): Promise<Cursor> {
  const { orderRef, generation, execution } = input;
  const order = await claimOrder(orderRef, generation, execution);
  if (!order.orderId) {
    const body = await readOrderData(order);
    const { orderId } = await perform({
      orderRef,
      name: 'create',
      unknown: 'never',
      call: () => orderService().createOrder(body),
    });
    await changeOrder(order, { orderId, waitingFor: 'service' });
    await addEvent(orderRef, 'Order created', { orderId });
  }
  await takeLateDecision(order);
  return { orderRef, generation, reads: 0, repeats: 0 };
}

/**
 * A decision that corrects an earlier one may be in intake before its event has been delivered: an execution that takes the order
 * over looks there itself, so that it does not repeat what was refused.
 */
async function takeLateDecision({ orderRef, status }: OrderItem): Promise<void> {
  const offers = status.startsWith('OFFERS_') ? await stagedOffers(orderRef) : undefined;
  if (offers) await takeDecision(orderRef, offers);
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

export const handler = middy(createOrder).use(operatorLog());
