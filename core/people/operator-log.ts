import type { MiddlewareObj } from '@middy/core';
import type { OrderError } from '../errors.ts';
import { keepRefusal, stepLog } from '../log.ts';
import { stageJson } from './staging.ts';

export { logFailure, logger } from '../log.ts';

/** The middleware of every step of an order. It adds `orderRef` and `generation` to each log line. */
export function operatorLog(): MiddlewareObj<{ orderRef: string; generation?: number }> {
  return stepLog<{ orderRef: string; generation?: number }>({
    keys: ({ orderRef, generation }) => ({ orderRef, generation }),
    stageRefusal: ({ orderRef }, name, refusal) => stageJson(orderRef, name, refusal),
  });
}

/** Stages for operators what the service answered to a call that failed, if the step does not fail with it. */
export function stageAnswer(orderRef: string, error: OrderError): Promise<void> {
  return keepRefusal(error, (name, refusal) => stageJson(orderRef, name, refusal));
}
