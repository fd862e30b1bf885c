import type { MiddlewareObj } from '@middy/core';
import { stepLog } from '../log.ts';
import { stageJson } from './staging.ts';

export { keepRefusal, logger } from '../log.ts';

/** What every function of an order has around it: its log lines name the order and the execution's number. */
export function operatorLog(): MiddlewareObj<{ orderRef: string; generation?: number }> {
  return stepLog<{ orderRef: string; generation?: number }>({
    keys: ({ orderRef, generation }) => ({ orderRef, generation }),
    stageRefusal: ({ orderRef }, name, refusal) => stageJson(orderRef, name, refusal),
  });
}
