import { environment, environmentFlag, environmentNumber, optionalEnvironment } from '../environment.ts';
import { callWithPatience, refuseUntil } from '../service/retry-after.ts';
import { fleetToken } from '../token/fleet-token.ts';
import { ExchangeClient } from './exchange-client.ts';
import { EXCHANGE, exchangeTable } from './exchange-table.ts';

let client: ExchangeClient | undefined;

/** The bank exchange of this stage, wired from the environment on first use; one per Lambda environment. */
export function exchangeService(): ExchangeClient {
  const requestsMember = optionalEnvironment('REQUESTS_MEMBER');
  client ??= new ExchangeClient({
    baseUrl: environment('LEGACY_SERVICE_URL'),
    tokens: fleetToken(environment('LEGACY_TOKEN_URL'), exchangeTable, { subject: '#token', item: 'token' }),
    callTimeout: environmentNumber('CALL_TIMEOUT_MILLISECONDS'),
    fileTimeout: environmentNumber('FILE_TIMEOUT_MILLISECONDS'),
    fileIdleTimeout: environmentNumber('FILE_IDLE_TIMEOUT_MILLISECONDS'),
    unavailableProvesNothingDone: environmentFlag('UNAVAILABLE_PROVES_NOTHING_DONE'),
    ...(requestsMember && { requestsMember }),
  });
  return client;
}

/** Calls the bank exchange, or refuses to, as it asked (`Retry-After`). */
export interface ExchangePatience {
  withPatience<Result>(call: () => Promise<Result>): Promise<Result>;
  /** @throws Throttled as long as the service wants to be left alone. */
  refuseWhileThrottled(): void;
}

const THROTTLED = { subject: EXCHANGE, item: 'throttled' };

/**
 * What the service last asked for counts for all calls to it, whichever step makes them.
 * @param subject how sentences name what is called for; nothing personal.
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
