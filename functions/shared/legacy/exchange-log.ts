import type { MiddlewareObj } from '@middy/core';
import { stepLog } from '../log.ts';
import { exchangeKey, stageExchangeJson } from './exchange-staging.ts';

/** What the log lines of a step name: never a request, a tax number or a name. */
export interface ExchangeStep {
  work: string;
  upload?: string;
}

/** What every step of the exchange has around it. */
export function exchangeLog(): MiddlewareObj<ExchangeStep> {
  return stepLog<ExchangeStep>({
    keys: ({ work, upload }) => ({ work, upload }),
    stageRefusal: (_step, name, refusal) => stageExchangeJson(exchangeKey(name), refusal),
  });
}
