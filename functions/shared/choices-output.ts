import { openChoices } from './decision.ts';
import type { OrderItem } from './order-record.ts';

/** What the Map state `Confirm offer` runs over: positions in the order's decision, never the offers themselves. */
export async function choicesOutput({ orderRef, generation }: Pick<OrderItem, 'orderRef' | 'generation'>) {
  const { open } = await openChoices(orderRef);
  return open.map((position) => ({ orderRef, generation, position }));
}
