import type { OrderItem } from '../order/order-item.ts';
import * as record from '../order/order-record.ts';
import { sendOutbox } from '../staging/send-outbox.ts';
import * as drivers from './drivers.ts';

// Changes of an order's record that cause events or change pages. Each sends the order's outbox afterwards.

export const addOrder = published(record.addOrder);
export const claimOrder = published(drivers.claimOrder);
export const recordEndOf = published(drivers.recordEndOf);
export const changeWaiting = published(record.changeWaiting);
export const endDismissed = published(record.endDismissed);

export async function claimRedriven(driver: drivers.Driver): ReturnType<typeof drivers.claimRedriven> {
  const claimed = await drivers.claimRedriven(driver);
  await sendOutbox(claimed.order);
  return claimed;
}

function published<Given extends unknown[], Changed extends OrderItem | undefined>(
  change: (...given: Given) => Promise<Changed>,
) {
  return async (...given: Given): Promise<Changed> => {
    const changed = await change(...given);
    if (changed) await sendOutbox(changed);
    return changed;
  };
}
