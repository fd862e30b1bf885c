import { memberText } from '../json/lossless-json.ts';
import { AuthorizedCalls, type AuthorizedCallsOptions, type Call } from '../service/authorized-calls.ts';
import { unexpected, valueIn } from '../service/service-failures.ts';
import { elementTexts } from './element-texts.ts';

/** Which requests are asked for (specification, 4.3: `take`, `skip`, `creationDateFrom`). */
export interface RequestsPage {
  take: number;
  skip: number;
  /** Left out where every request is asked for. */
  creationDateFrom?: string;
}

/** `baseUrl` is the address of the product service, not of the authorization service (specification, 9: version 1.1). */
export interface ExchangeOptions extends AuthorizedCallsOptions {
  /** Member of the answer that holds the list of requests (not shown); the answer is the list where it is absent. */
  requestsMember?: string;
}

const SERVICE = 'the bank exchange';

/**
 * The four operations of the obsolete bank exchange that carry a Bearer token (specification, 4.3), every call with a timeout.
 * Each throws the errors of `errors.ts`.
 */
export class ExchangeClient {
  private readonly calls: AuthorizedCalls;
  private readonly requestsMember: string | undefined;

  constructor({ requestsMember, ...options }: ExchangeOptions) {
    this.calls = new AuthorizedCalls(options);
    this.requestsMember = requestsMember;
  }

  /** `GET /requests`: the requests, each byte for byte as it came. */
  async readRequests({ take, skip, creationDateFrom }: RequestsPage): Promise<string[]> {
    const query = new URLSearchParams({ take: String(take), skip: String(skip) });
    if (creationDateFrom !== undefined) query.set('creationDateFrom', creationDateFrom);
    return this.readList('Fetch requests', `/requests?${query}`, this.requestsMember);
  }

  /** `GET /inns`: the tax numbers, each as it stands in the list. */
  async readInns(): Promise<string[]> {
    return this.readList('Fetch tax numbers', '/inns');
  }

  /** `POST /request/{requestId}/status`. `status` is sent byte for byte. */
  async sendStatus(requestId: string, status: string): Promise<void> {
    await this.calls.sendForStatus(
      jsonCall('Send a status', `/request/${encodeURIComponent(requestId)}/status`, status),
    );
  }

  /** `POST /inns`: pre-approved offers. `offers` is sent byte for byte. */
  async returnOffers(offers: string): Promise<void> {
    await this.calls.sendForStatus(jsonCall('Return offers', '/inns', offers));
  }

  private async readList(operation: string, path: string, member?: string): Promise<string[]> {
    const call: Call = { operation, service: SERVICE, changes: false, method: 'GET', path };
    const { response, text } = await this.calls.sendForText(call);
    const value = valueIn(text, response, call);
    if (member === undefined) {
      if (!Array.isArray(value)) throw unexpected(response, call, 'the body is not a JSON list', text);
      return elementTexts(text);
    }
    if (!Array.isArray((value as Record<string, unknown> | null)?.[member]))
      throw unexpected(response, call, `the body has no list ${member}`, text);
    return elementTexts(memberText(text, member) ?? '[]');
  }
}

function jsonCall(operation: string, path: string, body: string): Call {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return { operation, service: SERVICE, changes: true, method: 'POST', path, body: async () => ({ headers, body }) };
}
