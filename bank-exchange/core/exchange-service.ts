import type { CallContext } from '../../core/errors.ts';
import { stageConnections } from '../../core/http/connections.ts';
import { callWithPatience, refuseUntil } from '../../core/service/retry-after.ts';
import { stackToken } from '../../core/service/stack-token.ts';
import { callSettings, fileSettings } from '../../core/settings.ts';
import { ExchangeClient, type ExchangeOptions } from './exchange-client.ts';
import { EXCHANGE, exchangeTable } from './exchange-table.ts';
import { addressSettings, pageSettings } from './settings.ts';

let options: ExchangeOptions | undefined;

/** The client of this stage's bank exchange. Its options and its token are set up on first use, once per Lambda environment. */
export function exchangeService(context: CallContext): ExchangeClient {
  const { requestsMember } = pageSettings;
  options ??= {
    baseUrl: addressSettings.url,
    tokens: stackToken(addressSettings.tokenUrl, exchangeTable, { subject: '#token', item: 'token' }),
    connections: stageConnections(),
    callTimeout: callSettings.timeoutMilliseconds,
    fileTimeout: fileSettings.timeoutMilliseconds,
    fileIdleTimeout: callSettings.fileIdleTimeoutMilliseconds,
    largestAnswer: callSettings.answerBytes,
    unavailableProvesNothingDone: callSettings.unavailableProvesNothingDone,
    ...(requestsMember && { requestsMember }),
  };
  return new ExchangeClient(options, context);
}

export interface ExchangePatience {
  /** Makes a call and obeys `Retry-After`. */
  withPatience<Result>(call: () => Promise<Result>): Promise<Result>;
  /** @throws Throttled while the service asks us to back off. */
  refuseWhileThrottled(): void;
}

const THROTTLED = { subject: EXCHANGE, item: 'throttled' };

/**
 * Reads until when the service asked us to back off. All calls of all steps obey the last `Retry-After`.
 * @param subject what the calls are for, as messages name it; nothing personal.
 */
export async function exchangePatience(subject: string): Promise<ExchangePatience> {
  const throttledUntil = (await exchangeTable.getItem<{ until: string }>(THROTTLED))?.until;
  const names = { subject, service: 'the bank exchange', throttledUntil };
  const record = async (until: string) => {
    await exchangeTable.putItem({ ...THROTTLED, until });
  };
  return {
    withPatience: (call) => callWithPatience({ ...names, record }, call),
    refuseWhileThrottled: () => refuseUntil(names),
  };
}
