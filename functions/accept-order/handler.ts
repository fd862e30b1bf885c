import middy from '@middy/core';
import { perform } from '../shared/ledger.ts';
import { readForReconciliation } from '../shared/next-read.ts';
import { acceptName } from '../shared/operations.ts';
import { operatorLog } from '../shared/operator-log.ts';
import { addEvent, loadCreatedOrder } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';

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
async function acceptOrder({ orderRef, generation, accept, round }: AcceptOrderInput): Promise<{ round: number }> {
  const order = await loadCreatedOrder(orderRef, generation);
  const waiting = accept === 'documents' ? 'WAITING_FOR_DOCUMENTS' : 'WAITING_FOR_SIGNATURE';
  await perform({
    order,
    name: acceptName(accept, round),
    call: async () => {
      await orderService().acceptOrder(order.orderId);
      return { round };
    },
    unknown: async () => {
      const { status } = await readForReconciliation(order);
      return status === waiting ? undefined : { round };
    },
  });
  await addEvent(orderRef, `Accepted ${accept}`, { round });
  return { round };
}

export const handler = middy(acceptOrder).use(operatorLog());
