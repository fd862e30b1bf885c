import type { Decision } from '../../core/offers/choices.ts';
import { stageChoices } from '../../core/offers/choices-page.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { loadOrder } from '../../core/order/order-record.ts';
import { addEvent } from '../../core/order/timeline.ts';

/**
 * Brings `choices.json` up to date for the last time, after CLOSED was recorded. It may be out of date
 * because of a slow function, a late decision, a choice that was not confirmed, or an execution that was aborted. Also shows
 * operators how many confirms have an unknown outcome.
 * @param before the order's record before this read.
 * @param decision its decision.
 */
export async function closePages(before: OrderItem, decision: Decision | undefined): Promise<void> {
  const { orderRef, generation } = before;
  const now = await loadOrder(orderRef, generation);
  const unknown = decision?.choices.filter(({ confirm }) => confirm === 'open').length ?? 0;
  if (unknown > 0)
    await addEvent(orderRef, 'Closed with confirms of unknown outcome: ask the bank', { confirms: unknown });
  const isSettled = decision?.choices.every(({ choice, confirm }) => choice.withdrawn || confirm === 'done') ?? true;
  const version = now.decision?.version ?? 0;
  const isTheSame = version === before.decision?.version;
  if (version > 0 && (!isSettled || !isTheSame || generation > 1)) await stageChoices(orderRef);
}
