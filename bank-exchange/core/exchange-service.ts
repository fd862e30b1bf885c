import type { CallContext } from '../../core/errors.ts';
import { stageConnections } from '../../core/http/connections.ts';
import { elementTexts, memberText } from '../../core/json/lossless-json.ts';
import { AuthorizedCalls, type AuthorizedCallsOptions, type Call } from '../../core/service/authorized-calls.ts';
import { callWithPatience, refuseUntil } from '../../core/service/retry-after.ts';
import { unexpected, valueIn } from '../../core/service/service-failures.ts';
import { stackToken } from '../../core/service/stack-token.ts';
import { callSettings, fileSettings } from '../../core/settings.ts';
import { EXCHANGE, exchangeTable } from './exchange-table.ts';
import { addressSettings, pageSettings } from './settings.ts';

let options: AuthorizedCallsOptions | undefined;

/** The client of this stage's bank exchange. Its options and its token are set up on first use, once per Lambda environment. */
export function exchangeService(context: CallContext): ExchangeClient {
  options ??= {
    // The product service, not the authorization service (specification, 9: version 1.1).
    baseUrl: addressSettings.url,
    tokens: stackToken(addressSettings.tokenUrl, exchangeTable, { subject: '#token', item: 'token' }),
    connections: stageConnections(),
    callTimeout: callSettings.timeoutMilliseconds,
    fileTimeout: fileSettings.timeoutMilliseconds,
    fileIdleTimeout: callSettings.fileIdleTimeoutMilliseconds,
  };
  return new ExchangeClient(options, context);
}

export type ExchangePatience = Awaited<ReturnType<typeof exchangePatience>>;

const SERVICE = 'the bank exchange';
const THROTTLED = { subject: EXCHANGE, item: 'throttled' };

/**
 * Reads until when the service asked us to back off. All calls of all steps obey the last `Retry-After`.
 * @param subject what the calls are for, as messages name it; nothing personal.
 */
export async function exchangePatience(subject: string) {
  const throttledUntil = (await exchangeTable.getItem<{ until: string }>(THROTTLED))?.until;
  const names = { subject, service: SERVICE, throttledUntil };
  const record = async (until: string) => {
    await exchangeTable.putItem({ ...THROTTLED, until });
  };
  return {
    /** Makes a call and obeys `Retry-After`. */
    withPatience: <Result>(call: () => Promise<Result>) => callWithPatience({ ...names, record }, call),
    /** @throws Throttled while the service asks us to back off. */
    refuseWhileThrottled: () => refuseUntil(names),
  };
}

/** The query of `GET /requests` (specification, 4.3). */
interface RequestsPage {
  take: number;
  skip: number;
  /** Absent to fetch requests of any date. */
  creationDateFrom?: string;
}

/** The four operations of the obsolete bank exchange (specification, 4.3). They throw the errors of `errors.ts`. */
class ExchangeClient {
  private readonly calls: AuthorizedCalls;
  private readonly context: CallContext;

  constructor(options: AuthorizedCallsOptions, context: CallContext) {
    this.context = context;
    this.calls = new AuthorizedCalls(options);
  }

  /** `GET /requests`. Returns the source text of each request. */
  async readRequests({ take, skip, creationDateFrom }: RequestsPage): Promise<string[]> {
    const query = new URLSearchParams({ take: String(take), skip: String(skip) });
    if (creationDateFrom !== undefined) query.set('creationDateFrom', creationDateFrom);
    return this.readList('Fetch requests', `/requests?${query}`, pageSettings.requestsMember);
  }

  /** `GET /inns`. Returns the source text of each tax number. */
  async readInns(): Promise<string[]> {
    return this.readList('Fetch tax numbers', '/inns');
  }

  /** `POST /request/{requestId}/status`. `status` is sent unchanged. */
  async sendStatus(requestId: string, status: string): Promise<void> {
    await this.calls.sendForStatus(
      this.jsonCall('Send a status', `/request/${encodeURIComponent(requestId)}/status`, status),
    );
  }

  /** `POST /inns`: returns pre-approved offers. `offers` is sent unchanged. */
  async returnOffers(offers: string): Promise<void> {
    await this.calls.sendForStatus(this.jsonCall('Return offers', '/inns', offers));
  }

  /** @param member the property of the response that holds the list. If absent, the response itself is it. The specification shows neither. */
  private async readList(title: string, path: string, member?: string): Promise<string[]> {
    const call: Call = { title, context: this.context, service: SERVICE, changes: false, method: 'GET', path };
    const { response, text } = await this.calls.sendForText(call);
    const value = valueIn(text, response, call);
    if (member === undefined) {
      if (!Array.isArray(value)) throw unexpected(response, call, 'the body is not a JSON array', text);
      return elementTexts(text);
    }
    if (!Array.isArray((value as Record<string, unknown> | null)?.[member]))
      throw unexpected(response, call, `the body has no array ${member}`, text);
    return elementTexts(memberText(text, member) ?? '[]');
  }

  private jsonCall(title: string, path: string, body: string): Call {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const content = async () => ({ headers, body });
    return { title, context: this.context, service: SERVICE, changes: true, method: 'POST', path, body: content };
  }
}
