import { OutcomeUnknown } from '../shared/errors.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import type { Known } from '../shared/order/cursor.ts';
import { acceptName } from '../shared/order/operation-names.ts';
import { operatorLog } from '../shared/order/operator-log.ts';
import { perform } from '../shared/order/order-ledger.ts';
import { loadCreatedOrder } from '../shared/order/order-record.ts';
import { orderService } from '../shared/order/order-service.ts';
import { addEvent } from '../shared/order/timeline.ts';

export interface AcceptOrderInput {
  orderRef: string;
  generation: number;
  accept: 'documents' | 'signatures';
  round: number;
}

/**
 * `POST accept`, after documents and again after signatures (specification, endpoint 4). After an unknown outcome `read-order` finds out
 * what came of it: a status that has moved on proves that it was done.
 */
async function acceptOrder({ orderRef, generation, accept, round }: AcceptOrderInput): Promise<Known> {
  const order = await loadCreatedOrder(orderRef, generation);
  const accepted = acceptName(accept, round);
  await perform({
    order,
    name: accepted,
    call: async () => {
      await orderService().acceptOrder(order.orderId);
      return { round };
    },
    unknown: () => leaveToReads(orderRef, accept),
  });
  await addEvent(orderRef, `Accepted ${accept}`, { round });
  return { accepted };
}

/** The reads of the order find out, which go on: a second accept could be taken for the next one, and skip the signing. */
async function leaveToReads(orderRef: string, accept: AcceptOrderInput['accept']): Promise<undefined> {
  throw new OutcomeUnknown(
    `Order ${orderRef}: accept of ${accept} was begun before and nobody knows what came of it. Nothing was sent; the next reads of the order tell.`,
  );
}

export const handler = lambdaHandler(acceptOrder).use(operatorLog());
