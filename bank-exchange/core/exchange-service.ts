import type { CallContext } from '../../core/errors.ts';
import { elementTexts, memberText } from '../../core/json/lossless-json.ts';
import {
  type AuthorizedCallsOptions,
  authorizedCalls,
  type Call,
  stageCalls,
} from '../../core/service/authorized-calls.ts';
import { callWithPatience, refuseUntil } from '../../core/service/retry-after.ts';
import { unexpected, valueIn } from '../../core/service/service-failures.ts';
import { stackToken } from '../../core/service/stack-token.ts';
import { EXCHANGE, exchangeTable } from './exchange-table.ts';
import { addressSettings, pageSettings } from './settings.ts';

let options: AuthorizedCallsOptions | undefined;

export type ExchangePatience = Awaited<ReturnType<typeof exchangePatience>>;

const SERVICE = 'the bank exchange';
const THROTTLED = { subject: EXCHANGE, item: 'throttled' };

/**
 * Reads until when the service asked us to back off. The last `Retry-After` applies to all calls of all steps.
 * @param subject what the calls are for, for messages. Without personal data.
 */
export async function exchangePatience(subject: string) {
  const throttledUntil = (await exchangeTable.getItem<{ until: string }>(THROTTLED))?.until;
  const names = { subject, service: SERVICE, throttledUntil };
  const record = async (until: string) => void (await exchangeTable.putItem({ ...THROTTLED, until }));
  return {
    withPatience: <Result>(call: () => Promise<Result>) => callWithPatience({ ...names, record }, call),
    /** @throws Throttled while the service asks us to back off. */
    refuseWhileThrottled: () => refuseUntil(names),
  };
}

/**
 * The client of this stage's bank exchange (specification, 4.3). Its four operations throw the errors of `core/errors.ts`. Options and token
 * are set up on first use, once per Lambda environment. Bodies are sent unchanged. Lists are returned as the JSON text of each element.
 */
export function exchangeService(context: CallContext) {
  options ??= {
    // The address of the product service, not of the authorization service (specification, 9: version 1.1).
    baseUrl: addressSettings.url,
    tokens: stackToken(addressSettings.tokenUrl, exchangeTable, { subject: '#token', item: 'token' }),
    ...stageCalls(),
  };
  const calls = authorizedCalls(options);
  /** @param member the property of the response that contains the list. Default: the response is the list. The specification shows neither. */
  const readList = async (title: string, path: string, member?: string): Promise<string[]> => {
    const call: Call = { title, context, service: SERVICE, kind: 'read', method: 'GET', path };
    const { response, text } = await calls.sendForText(call);
    const value = valueIn(text, response, call);
    const list = member === undefined ? value : (value as Record<string, unknown> | null)?.[member];
    const problem = member === undefined ? 'the body is not a JSON array' : `the body has no array ${member}`;
    if (!Array.isArray(list)) throw unexpected(response, call, problem, text);
    return elementTexts(member === undefined ? text : (memberText(text, member) ?? '[]'));
  };
  const sendJson = (title: string, path: string, body: string): Promise<void> => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = { title, context, service: SERVICE, kind: 'creation', method: 'POST', path } as const;
    return calls.sendForStatus({ ...call, body: async () => ({ headers, body }) });
  };
  return {
    /** `GET /requests`. Without `creationDateFrom`, requests of any date. */
    readRequests: async (page: { take: number; skip: number; creationDateFrom?: string }): Promise<string[]> => {
      const query = new URLSearchParams(
        Object.entries(page).map(([name, value]): [string, string] => [name, `${value}`]),
      );
      return readList('Fetch requests', `/requests?${query}`, pageSettings.requestsMember);
    },
    /** `GET /inns`: tax numbers. */
    readInns: async (): Promise<string[]> => readList('Fetch tax numbers', '/inns'),
    sendStatus: async (requestId: string, status: string): Promise<void> =>
      sendJson('Send a status', `/request/${encodeURIComponent(requestId)}/status`, status),
    /** `POST /inns`: returns pre-approved offers. */
    returnOffers: async (offers: string): Promise<void> => sendJson('Return offers', '/inns', offers),
  };
}
