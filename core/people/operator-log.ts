import type { MiddlewareObj } from '@middy/core';
import { stepLog } from '../log.ts';
import { stageJson } from './staging.ts';

export { keepRefusal, logger } from '../log.ts';

/** The middleware of every step of an order. It adds `orderRef` and `generation` to each log line. */
export function operatorLog(): MiddlewareObj<{ orderRef: string; generation?: number }> {
  return stepLog<{ orderRef: string; generation?: number }>({
    keys: ({ orderRef, generation }) => ({ orderRef, generation }),
    stageRefusal: ({ orderRef }, name, refusal) => stageJson(orderRef, name, refusal),
  });
}
