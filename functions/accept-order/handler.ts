import { orderStep } from '../../core/driving/order-step.ts';
import { loggable } from '../../core/errors.ts';
import { FinalRefusal, isRefusal } from '../../core/ledger/perform-operation.ts';
import { acceptName } from '../../core/order/operation-names.ts';
import { perform } from '../../core/order/order-ledger.ts';
import { loadCreatedOrder } from '../../core/order/order-record.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import type { Known } from '../../core/reading/cursor.ts';

export interface AcceptOrderInput {
  orderRef: string;
  generation: number;
  accept: 'documents' | 'signatures';
  round: number;
  postponed: boolean;
}

/**
 * Calls `POST accept`, after documents and again after signatures (specification, endpoint 4). If the outcome is unknown, the next reads of
 * the order show it: a status that has changed proves that the accept was done. Nothing is accepted while an upload is postponed.
 */
async function acceptOrder(input: AcceptOrderInput): Promise<Required<Pick<Known, 'accepted'>>> {
  const { orderRef, generation, accept, round, postponed } = input;
  if (postponed) return { accepted: null };
  const order = await loadCreatedOrder(orderRef, generation);
  const accepted = acceptName(accept, round);
  await perform({
    order,
    name: accepted,
    call: async (context) => {
      await orderService(context).acceptOrder(order.orderId);
      return { round };
    },
    // A second accept could be taken for the next one, and the signing would be skipped.
    unknown: 'look',
  }).catch(async (error) => {
    if (isRefusal(error) && !(error instanceof FinalRefusal))
      await addToTimeline(orderRef, 'An accept was refused', loggable(error.call));
    throw error;
  });
  return { accepted };
}

export const handler = orderStep(acceptOrder, () => ({ accepted: null }));
