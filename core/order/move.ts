import type { Move, OrderItem } from './order-item.ts';

/** Whether the generation that drives the order is to hand it over at its next read. */
export function isToMove({ moveTo, generation }: Pick<OrderItem, 'moveTo' | 'generation'>): boolean {
  return moveTo?.generation === generation;
}

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

/** The mark that moves the order to `release`. Write it only if the generation still drives the order and has not failed. */
export function moveOf({ generation }: Pick<OrderItem, 'generation'>, release: string): Move {
  return { release, generation, at: new Date().toISOString() };
}
