import { addEvent } from '../../core/order/timeline.ts';
import { changeOrder } from '../../core/people/told-order.ts';
import type { Known } from '../../core/reading/cursor.ts';
import { acceptState, roundOf } from '../../core/reading/settle-accepts.ts';
import type { Read } from './keep-read.ts';

/** An order is CLOSED only after its offers (specification, section 3), which no read may have found. */
const hasHadOffers = (status: string) => status.startsWith('OFFERS_') || status === 'CLOSED';

/** Shows operators that an order has, or had, offers although no accept of signatures is known to be done. */
export async function recordUnsigned({ record, order }: Read, known: Known | undefined): Promise<void> {
  if (!hasHadOffers(order.status) || hasHadOffers(record.status) || record.unsigned) return;
  const round = roundOf(record, 'WAITING_FOR_SIGNATURE');
  if (round && (await acceptState(record, round, known?.accepted)) === 'done') return;
  await addEvent(record.orderRef, 'Reached its offers without signatures', { asked: round ? 'yes' : 'no' });
  await changeOrder(record, { unsigned: true });
}
