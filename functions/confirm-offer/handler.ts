import middy from '@middy/core';
import { choiceAt } from '../shared/decision.ts';
import { InvalidPackage } from '../shared/errors.ts';
import { perform } from '../shared/ledger.ts';
import { confirmName } from '../shared/operations.ts';
import { operatorLog } from '../shared/operator-log.ts';
import { addEvent, loadCreatedOrder } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';

export interface ConfirmOfferInput {
  orderRef: string;
  generation: number;
  /** Position in the order's decision. */
  position: number;
}

/**
 * `POST confirm` for one chosen offer (specification, endpoint 7; rule 2 of section 3). After an unknown outcome the order
 * is read: an offer that is no longer AVAILABLE was confirmed, and so was the first one when the status has moved on.
 */
async function confirmOffer({ orderRef, generation, position }: ConfirmOfferInput): Promise<{ position: number }> {
  const { orderId } = await loadCreatedOrder(orderRef, generation);
  const choice = await choiceAt(orderRef, position);
  if (!choice) throw new InvalidPackage(`Order ${orderRef} has no choice number ${position + 1}. Nothing was sent.`);
  const { offerId, code } = choice;
  await perform({
    orderRef,
    name: confirmName(offerId),
    call: async () => {
      await orderService().confirmOffer(orderId, { offerId, code });
      return { offerId, code };
    },
    unknown: async () => {
      const { order } = await orderService().readOrder(orderId);
      const offer = (order.offers ?? []).find((candidate) => candidate.offerId === offerId);
      const confirmed = order.status === 'CLOSED' || (offer !== undefined && offer.status !== 'AVAILABLE');
      return confirmed ? { offerId, code } : undefined;
    },
  });
  await addEvent(orderRef, 'Confirmed an offer', { offerId, code });
  return { position };
}

export const handler = middy(confirmOffer).use(operatorLog());
