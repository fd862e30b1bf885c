import type { OrderItem } from '../../core/order/order-item.ts';
import { heldUntil, isPaused, type StagePause } from '../../core/order/stage-pause.ts';
import { time } from './text.ts';

/** The rows of `show` about the stage's last pause, if it holds the order. */
export function pauseRows(order: OrderItem, pause: StagePause | undefined): string[][] {
  if (isPaused(pause)) return [['Stage', `paused since ${time(pause.since)} by ${pause.by}: ${pause.reason}`]];
  const goesOnAt = goesOnAfterPause(order, pause);
  return goesOnAt ? [['Goes on', `${time(goesOnAt)}: the stage was paused until ${time(pause?.resumedAt)}`]] : [];
}

/** The same for scripts. */
export function pauseFacts(order: OrderItem, pause: StagePause | undefined) {
  const stagePaused = isPaused(pause) ? { since: pause.since, by: pause.by, reason: pause.reason } : undefined;
  return { stagePaused, goesOnAt: goesOnAfterPause(order, pause) };
}

/** When an order goes on that waits for the service although the stage was resumed. */
function goesOnAfterPause(order: OrderItem, pause: StagePause | undefined): string | undefined {
  return isPaused(pause) || order.waitingFor !== 'service' ? undefined : heldUntil(pause, order);
}
