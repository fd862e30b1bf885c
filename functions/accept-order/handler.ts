import type { Known } from '../create-order/handler.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { readForReconciliation } from '../shared/next-read.ts';
import { asksForOthers } from '../shared/next-step.ts';
import { acceptName } from '../shared/operation-names.ts';
import { operatorLog } from '../shared/operator-log.ts';
import { perform } from '../shared/order-ledger.ts';
import { addEvent, loadCreatedOrder, type SignaturesRound } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import type { Order } from '../shared/order-service-client.ts';

export interface AcceptOrderInput {
  orderRef: string;
  generation: number;
  accept: 'documents' | 'signatures';
  round: number;
}

/**
 * `POST accept`, after documents and again after signatures (specification, endpoint 4). After an unknown outcome the
 * order is read: a status that has moved on proves that accept was done.
 */
async function acceptOrder({ orderRef, generation, accept, round }: AcceptOrderInput): Promise<Known> {
  const order = await loadCreatedOrder(orderRef, generation);
  const accepted = acceptName(accept, round);
  const waiting = accept === 'documents' ? 'WAITING_FOR_DOCUMENTS' : 'WAITING_FOR_SIGNATURE';
  await perform({
    order,
    name: accepted,
    call: async () => {
      await orderService().acceptOrder(order.orderId);
      return { round };
    },
    unknown: async () => {
      const read = await readForReconciliation(order);
      return read.status === waiting && isOfRound(read, order.signaturesRound) ? undefined : { round };
    },
  });
  await addEvent(orderRef, `Accepted ${accept}`, { round });
  return { accepted };
}

/** Other documents to sign are those of the next round: this one was accepted. Documents asked for again look the same. */
function isOfRound(read: Order, round: SignaturesRound | undefined): boolean {
  return read.status !== 'WAITING_FOR_SIGNATURE' || !round || !asksForOthers(read, round);
}

export const handler = lambdaHandler(acceptOrder).use(operatorLog());
