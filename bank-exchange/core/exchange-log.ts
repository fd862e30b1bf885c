import type { MiddlewareObj } from '@middy/core';
import { stepLog } from '../../core/log.ts';
import { exchangeKey, stageExchangeJson } from './exchange-staging.ts';

/** The fields that a step adds to its log lines: never a request, a tax number or a name. */
export interface ExchangeStep {
  work: string;
  upload?: string;
}

export const exchangeLog = (): MiddlewareObj<ExchangeStep> =>
  stepLog<ExchangeStep>({
    keys: ({ work, upload }) => ({ work, upload }),
    stageRefusal: (_step, name, refusal) => stageExchangeJson(exchangeKey(name), refusal),
  });
