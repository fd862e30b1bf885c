import { stageChoices } from '../shared/offers/choices-page.ts';
import type { Decision } from '../shared/order/choices.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import { loadOrder } from '../shared/order/order-record.ts';
import { stageStatusAsRecorded } from '../shared/order/staging.ts';
import { addEvent } from '../shared/order/timeline.ts';

/**
 * Nobody reads a CLOSED order again. Called once that is recorded: what a slow function that waits for a person has staged, a decision that
 * came too late, a choice that was never confirmed, and what an execution that was ended did not stage, is staged now.
 * @param before the order as it was read from the record.
 * @param decision what was known of it then.
 */
export async function closePages(before: OrderItem, decision: Decision | undefined): Promise<void> {
  const { orderRef, generation, waitingFor } = before;
  const now = await loadOrder(orderRef, generation);
  if (waitingFor !== 'service') await stageStatusAsRecorded(now);
  const unknown = decision?.choices.filter(({ confirm }) => confirm === 'open').length ?? 0;
  if (unknown > 0)
    await addEvent(orderRef, 'Closed with confirms of unknown outcome: ask the bank', { confirms: unknown });
  const isSettled = decision?.choices.every(({ choice, confirm }) => choice.withdrawn || confirm === 'done') ?? true;
  const isTheSame = now.decision?.version === before.decision?.version;
  if (!isSettled || !isTheSame || generation > 1) await stageChoices(orderRef);
}
