import type { OrderItem } from '../order/order-item.ts';
import * as record from '../order/order-record.ts';
import { sendOutbox } from './send-outbox.ts';

// Changes of an order's record of which others are told, and which pages show. Each sends the order's outbox afterwards.

export const addOrder = told(record.addOrder);
export const claimOrder = told(record.claimOrder);
export const recordEndOf = told(record.recordEndOf);
export const changeOrder = told(record.changeOrder);
export const changeWaiting = told(record.changeWaiting);

function told<Given extends unknown[], Changed extends OrderItem | undefined>(
  change: (...given: Given) => Promise<Changed>,
) {
  return async (...given: Given): Promise<Changed> => {
    const changed = await change(...given);
    if (changed) await sendOutbox(changed);
    return changed;
  };
}
