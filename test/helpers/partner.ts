import { type Simulator, startSimulator } from '@business-loan-orders/order-simulator';
import { afterEach, beforeEach, expect } from 'vitest';
import { checkCalls } from './contract.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  body: any;
}

export interface TestFile {
  field: string;
  name: string;
  content: string | Uint8Array;
}

export interface OrderRead {
  status: string;
  pollAfterSeconds: number;
  documents?: { fileId: string }[];
  offers?: { offerId: string; status: string; creditOptions: { code: string }[] }[];
  issues?: unknown;
}

/** Plays the partner against a simulator. Its clock moves only in `passSeconds`. */
export class Partner {
  simulator!: Simulator;
  private readonly clock = { now: Date.UTC(2025, 0, 15, 12) };
  private token = '';

  /** Plays against another simulator in each test of the file. Every call must keep to the contract, unless `isChecked` is false. */
  static forEachTest({ isChecked = true, start = startSimulator } = {}): Partner {
    const partner = new Partner();
    beforeEach(async () => {
      partner.clock.now = Date.UTC(2025, 0, 15, 12);
      partner.simulator = await start({ now: () => partner.clock.now });
      await partner.authorize();
    });
    afterEach(async () => {
      const calls = partner.simulator.calls();
      await partner.simulator.close();
      if (isChecked) expect(checkCalls(calls)).toEqual([]);
    });
    return partner;
  }

  async authorize(): Promise<void> {
    const { clientId, clientSecret } = this.simulator.settings;
    const answer = await this.requestToken({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    this.token = answer.body.access_token;
  }

  passSeconds(seconds: number): void {
    this.clock.now += seconds * 1000;
  }

  requestToken(
    fields: Record<string, string>,
    path = '/oauth2/token',
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.call('POST', path, { headers, body: new URLSearchParams(fields), token: null });
  }

  /** Makes one call. `token` replaces the partner's own token, and null sends none. */
  async call(method: string, path: string, options: RequestInit & { token?: string | null } = {}): Promise<Answer> {
    const { token = this.token, headers, ...rest } = options;
    const allHeaders = new Headers(headers);
    if (token !== null) allHeaders.set('authorization', `Bearer ${token}`);
    const response = await fetch(this.simulator.url + path, { method, headers: allHeaders, ...rest });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(bytes.toString()) : bytes };
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.call('POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  }

  upload(path: string, fields: Record<string, string>, files: readonly TestFile[]): Promise<Answer> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    for (const { field, name, content } of files) body.append(field, new Blob([Buffer.from(content)]), name);
    return this.call('POST', path, { body });
  }

  async create(order: Record<string, unknown> = { inn: '7707083893' }): Promise<string> {
    const { body } = await this.post('/v1/orders', order);
    return body.orderId;
  }

  async read(orderId: string): Promise<OrderRead> {
    return (await this.call('GET', `/v1/orders/${orderId}`)).body;
  }

  uploadDocument(orderId: string, name = 'charter.pdf', content: string | Uint8Array = 'charter'): Promise<Answer> {
    const fields = { entityId: 'company-1', sourceEntityId: 'source-1', docType: 'CHARTER' };
    return this.upload(`/v1/orders/${orderId}/documents`, fields, [{ field: 'file', name, content }]);
  }

  uploadSignature(orderId: string, fileId: string, content: string | Uint8Array = 'opaque signature'): Promise<Answer> {
    const file = { field: 'signature', name: `${fileId}.sig`, content };
    return this.upload(`/v1/orders/${orderId}/documents/sign`, { fileId }, [file]);
  }

  accept(orderId: string): Promise<Answer> {
    return this.call('POST', `/v1/orders/${orderId}/accept`);
  }

  confirm(orderId: string, choice: { offerId?: string; code?: string }): Promise<Answer> {
    return this.post(`/v1/orders/${orderId}/confirm`, choice);
  }

  async afterProcessing(orderId: string): Promise<OrderRead> {
    this.passSeconds(this.simulator.settings.processingSeconds);
    return this.read(orderId);
  }

  async toDocuments(order?: Record<string, unknown>): Promise<string> {
    const orderId = await this.create(order);
    await this.afterProcessing(orderId);
    return orderId;
  }

  async toSignature(order?: Record<string, unknown>): Promise<{ orderId: string; fileIds: string[] }> {
    const orderId = await this.toDocuments(order);
    await this.uploadDocument(orderId);
    await this.accept(orderId);
    const { documents = [] } = await this.afterProcessing(orderId);
    return { orderId, fileIds: documents.map(({ fileId }) => fileId) };
  }

  async toOffers(order?: Record<string, unknown>) {
    const { orderId, fileIds } = await this.toSignature(order);
    for (const fileId of fileIds) await this.uploadSignature(orderId, fileId);
    await this.accept(orderId);
    const { offers = [] } = await this.afterProcessing(orderId);
    return { orderId, offers };
  }
}
