import type { RecordTable } from '../aws/record-table.ts';
import type { Move, OrderItem } from '../order/order-item.ts';

/** Whether the generation that drives the order is to hand it over at its next read. */
export const isToMove = ({ moveTo, generation }: Pick<OrderItem, 'moveTo' | 'generation'>): boolean =>
  moveTo?.generation === generation;

/**
 * Whether the order runs in another release than `newest`, and is not on its way there. An order that no execution has claimed, or
 * whose execution has ended, continues in the newest release anyway.
 */
export function isBehind(
  order: Pick<OrderItem, 'release' | 'moveTo' | 'generation' | 'execution' | 'failure'>,
  newest: string,
): boolean {
  const { release, moveTo, execution, failure } = order;
  if (execution === undefined || failure || release === newest) return false;
  return !(isToMove(order) && moveTo?.release === newest);
}

/**
 * Marks the order: its generation hands it over to `release` at its next read. Does not set `changedAt`, because nothing has happened yet.
 * @returns false if another generation drives the order, or this one has failed, or the order is over.
 */
export async function markToMove(
  table: RecordTable,
  { orderRef, generation }: Pick<OrderItem, 'orderRef' | 'generation'>,
  release: string,
): Promise<boolean> {
  const move: Move = { release, generation, at: new Date().toISOString() };
  const condition = 'generation = :current AND attribute_not_exists(failure) AND waitingFor <> :nobody';
  return table.updateItem({ orderRef, item: 'order' }, { moveTo: move }, condition, {
    ':current': generation,
    ':nobody': 'nobody',
  });
}
