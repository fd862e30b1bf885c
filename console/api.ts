/** What the console's server and its page tell each other. Types only: the page is built from them, and nothing else of ours. */

import type { ListedOrder } from '../commands/stage/record.ts';
import type { Problem } from '../functions/shared/json/json-problems.ts';
import type { StagePause } from '../functions/shared/order/stage-pause.ts';

/** A line of the table of orders. */
export type OrderRow = Omit<ListedOrder, 'failure'> & {
  /** The name of the failure. */
  failure?: string;
  /** From this time on the order counts as unchanged for too long. */
  oldFrom?: string;
};

/**
 * What `/api/orders/live` sends: all orders first, then those that changed. `failed` says why the stage could not be read; all orders
 * come again after that.
 */
export type OrdersMessage =
  | { all: OrderRow[]; now: string }
  | { changed: OrderRow[]; now: string }
  | { failed: string };

/** What the console is connected to. */
export interface StageFacts {
  stage: string;
  /** The AWS in words. */
  where: string;
  local: boolean;
  pause?: Pick<StagePause, 'since' | 'by' | 'reason'>;
}

/** What a refusal or a failure says. */
export interface Refused {
  error: string;
  problems?: Problem[];
}
