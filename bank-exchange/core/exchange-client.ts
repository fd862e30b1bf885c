import type { CallContext } from '../../core/errors.ts';
import { memberText } from '../../core/json/lossless-json.ts';
import { AuthorizedCalls, type AuthorizedCallsOptions, type Call } from '../../core/service/authorized-calls.ts';
import { unexpected, valueIn } from '../../core/service/service-failures.ts';
import { elementTexts } from './element-texts.ts';

/** The query of `GET /requests` (specification, 4.3). */
export interface RequestsPage {
  take: number;
  skip: number;
  /** Absent to fetch requests of any date. */
  creationDateFrom?: string;
}

/** `baseUrl` is the address of the product service, not of the authorization service (specification, 9: version 1.1). */
export interface ExchangeOptions extends AuthorizedCallsOptions {
  /** Property of the response that holds the requests. If absent, the response itself is the list. The specification shows neither. */
  requestsMember?: string;
}

const SERVICE = 'the bank exchange';

/** The four operations of the obsolete bank exchange (specification, 4.3). They throw the errors of `errors.ts`. */
export class ExchangeClient {
  private readonly calls: AuthorizedCalls;
  private readonly requestsMember: string | undefined;
  private readonly context: CallContext;

  constructor({ requestsMember, ...options }: ExchangeOptions, context: CallContext) {
    this.context = context;
    this.calls = new AuthorizedCalls(options);
    this.requestsMember = requestsMember;
  }

  /** `GET /requests`. Returns the source text of each request. */
  async readRequests({ take, skip, creationDateFrom }: RequestsPage): Promise<string[]> {
    const query = new URLSearchParams({ take: String(take), skip: String(skip) });
    if (creationDateFrom !== undefined) query.set('creationDateFrom', creationDateFrom);
    return this.readList('Fetch requests', `/requests?${query}`, this.requestsMember);
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
