import { OutcomeUnknown } from '../../core/errors.ts';
import { lambdaHandler } from '../../core/lambda-handler.ts';
import { acceptName } from '../../core/order/operation-names.ts';
import { perform } from '../../core/order/order-ledger.ts';
import { loadCreatedOrder } from '../../core/order/order-record.ts';
import { postponable } from '../../core/order/postponable.ts';
import { addEvent } from '../../core/order/timeline.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import { operatorLog } from '../../core/people/operator-log.ts';
import type { Known } from '../../core/reading/cursor.ts';

export interface AcceptOrderInput {
  orderRef: string;
  generation: number;
  accept: 'documents' | 'signatures';
  round: number;
  /** Whether an upload was put off. */
  postponed: boolean;
}

type Accepted = Required<Pick<Known, 'accepted'>>;

/**
 * Calls `POST accept`, after documents and again after signatures (specification, endpoint 4). If the outcome is unknown,
 * the next reads of the order show it: a status that has changed proves that the accept was done. Nothing is accepted as long
 * as an upload is put off.
 */
async function acceptOrder({ orderRef, generation, accept, round, postponed }: AcceptOrderInput): Promise<Accepted> {
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
    unknown: () => leaveToReads(orderRef, accept),
  });
  await addEvent(orderRef, `Accepted ${accept}`, { round });
  return { accepted };
}

/** Leaves it to the reads of the order. A second accept could be taken for the next one, and the signing would be skipped. */
async function leaveToReads(orderRef: string, accept: AcceptOrderInput['accept']): Promise<undefined> {
  throw new OutcomeUnknown(
    `Order ${orderRef}: the outcome of an earlier accept of ${accept} is unknown. Nothing was sent. The next reads of the order show it.`,
  );
}

export const handler = lambdaHandler(postponable(acceptOrder, () => ({ accepted: null }))).use(operatorLog());
