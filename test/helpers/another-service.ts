import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { listening } from './listening.ts';

const CLIENT = { id: 'partner:7 (test)', secret: 's%c&r=t +ü' };
const TOKEN = 'opaque.token~of+another/service==';

interface AnotherOrder {
  orderId: string;
  status: string;
  application: { valid?: boolean };
  /** The number of reads until the service has done its work. */
  left: number;
  next: string;
  documents: string[];
  signed: Set<string>;
  confirmed: Set<string>;
  readAt: number;
}

type Answer = [status: number, body?: unknown, headers?: Record<string, string>];

/**
 * A second order service, written from the specification alone. Where the specification leaves something open, it differs from the
 * simulator: identifiers must be percent-encoded, tokens are opaque and their lifetime is a string, bodies are empty or plain text,
 * errors follow RFC 9457, offers have other statuses, downloads have no length, and its work takes a number of reads.
 */
export class AnotherService {
  readonly orders: AnotherOrder[] = [];
  /** Every call that the specification does not allow. */
  readonly wrongs: string[] = [];
  readonly credentials = CLIENT;
  url = '';
  authorizationUrl = '';
  readonly #servers: Server[] = [];

  static async start(): Promise<AnotherService> {
    const service = new AnotherService();
    service.url = `${await service.#listen((request) => service.#answerOrder(request))}/partner/api`;
    service.authorizationUrl = await service.#listen((request) => service.#answerToken(request));
    return service;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  async #listen(answer: (request: IncomingMessage) => Promise<Answer>): Promise<string> {
    const server = createServer((request, response) => {
      answer(request).then(
        (given) => send(response, given),
        (error: Error) => this.#wrong(response, `${request.method} ${request.url}: ${error.message}`),
      );
    });
    this.#servers.push(server);
    return listening(server);
  }

  #wrong(response: ServerResponse, what: string): void {
    this.wrongs.push(what);
    const problem = { type: 'about:blank', title: what, status: 409 };
    send(response, [409, problem, { 'content-type': 'application/problem+json' }]);
  }

  async #answerToken(request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'POST' || request.url !== '/realms/banks/token') return [404];
    const form = new URLSearchParams(await text(request));
    const given = [form.get('grant_type'), form.get('client_id'), form.get('client_secret')];
    if (given.join('\n') !== ['client_credentials', CLIENT.id, CLIENT.secret].join('\n')) return [401];
    return [200, { access_token: TOKEN, expires_in: '600' }];
  }

  async #answerOrder(request: IncomingMessage): Promise<Answer> {
    const { method = '', url = '', headers } = request;
    const [, ...path] = url.replace('/partner/api', '').split('/').map(decodeURIComponent);
    if (path[0] !== 'v1' || path[1] !== 'orders') return [404];
    if (headers.authorization !== `Bearer ${TOKEN}`) return [401];
    if (method === 'POST' && path.length === 2) return this.#create(JSON.parse(await text(request)));
    const order = this.orders.find(({ orderId }) => orderId === path[2]);
    if (!order) return [404];
    const operation = `${method} ${path.slice(3).join('/')}`;
    if (operation === 'GET ') return this.#read(order);
    if (operation === 'POST documents') return this.#upload(order, await formOf(request));
    if (operation === 'POST documents/sign') return this.#sign(order, await formOf(request));
    if (operation === 'POST accept') return this.#accept(order);
    if (operation === 'POST confirm') return this.#confirm(order, JSON.parse(await text(request)));
    if (method === 'GET' && path[3] === 'documents' && path[5] === 'download') return this.#download(order, path[4]);
    return [405];
  }

  #create(application: AnotherOrder['application']): Answer {
    const orderId = `2026/11 № ${this.orders.length + 1}`;
    const next = application.valid === false ? 'VALIDATION_FAILED' : 'WAITING_FOR_DOCUMENTS';
    const lists = { documents: [], signed: new Set<string>(), confirmed: new Set<string>() };
    this.orders.push({ orderId, status: 'IN_WORK', application, left: 1, next, ...lists, readAt: 0 });
    return [201, { orderId, acceptedAt: 'today' }];
  }

  #read(order: AnotherOrder): Answer {
    if (Date.now() - order.readAt < 1_000) throw new Error('read before pollAfterSeconds');
    order.readAt = Date.now();
    if ((order.status === 'IN_WORK' || order.status === 'OFFERS_APPROVED') && order.left-- === 0)
      order.status = order.next;
    const { status, application } = order;
    return [200, { status, application, pollAfterSeconds: 1, ...this.#lists(order) }];
  }

  #lists({ orderId, status, confirmed }: AnotherOrder): object {
    if (status === 'WAITING_FOR_SIGNATURE') return { documents: filesOf(orderId).map((fileId) => ({ fileId })) };
    if (status === 'VALIDATION_FAILED') return { issues: { inn: 'unknown' } };
    if (!/^OFFERS|^CLOSED/.test(status)) return {};
    const stateOf = (offerId: string) => (confirmed.has(offerId) ? 'TAKEN' : 'AVAILABLE');
    const offer = (offerId: string) => ({
      offerId,
      status: stateOf(offerId),
      creditOptions: [{ code: `${offerId}+12m` }],
    });
    return { offers: [{ offerId: 'no', status: 'DECLINED', creditOptions: [] }, offer('банк #1'), offer('bank/2')] };
  }

  #upload(order: AnotherOrder, form: FormData): Answer {
    this.#require(order, 'WAITING_FOR_DOCUMENTS');
    for (const name of ['entityId', 'sourceEntityId', 'docType']) requireText(form, name);
    order.documents.push(`${requireFile(form, 'file').size}`);
    return [201];
  }

  #sign(order: AnotherOrder, form: FormData): Answer {
    this.#require(order, 'WAITING_FOR_SIGNATURE');
    const fileId = requireText(form, 'fileId');
    if (!filesOf(order.orderId).includes(fileId)) throw new Error('a signature of no document');
    if (requireFile(form, 'signature').size < 100) throw new Error('a signature that is too short');
    order.signed.add(fileId);
    return [201, { signatureId: `signature of ${fileId}`, checked: false }];
  }

  #accept(order: AnotherOrder): Answer {
    const isSigning = order.status === 'WAITING_FOR_SIGNATURE';
    if (!isSigning) this.#require(order, 'WAITING_FOR_DOCUMENTS');
    const isWhole = isSigning ? order.signed.size === 2 : order.documents.length > 0;
    if (!isWhole) throw new Error('accept before everything was uploaded');
    const next = isSigning ? 'OFFERS_AVAILABLE' : 'WAITING_FOR_SIGNATURE';
    Object.assign(order, { status: 'IN_WORK', left: 0, next });
    return [202];
  }

  #confirm(order: AnotherOrder, { offerId, code }: { offerId: string; code: string }): Answer {
    if (order.status !== 'OFFERS_APPROVED') this.#require(order, 'OFFERS_AVAILABLE');
    if (code !== `${offerId}+12m` || order.confirmed.has(offerId)) throw new Error('a confirm of no AVAILABLE offer');
    order.confirmed.add(offerId);
    Object.assign(order, { status: 'OFFERS_APPROVED', left: 1, next: 'CLOSED' });
    return [202, 'Thank you.', { 'content-type': 'text/plain' }];
  }

  #download({ orderId }: AnotherOrder, fileId = ''): Answer {
    if (!filesOf(orderId).includes(fileId)) return [404];
    return [200, Buffer.from(`${fileId}: I agree.`), { 'content-type': 'application/octet-stream' }];
  }

  #require({ status }: AnotherOrder, wanted: string): void {
    if (status !== wanted) throw new Error(`not while the order is ${status}`);
  }
}

const filesOf = (orderId: string) => [`${orderId}: contract?.pdf`, `${orderId}: consent 100%`];

async function formOf(request: IncomingMessage): Promise<FormData> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  return new Response(new Uint8Array(await buffer(request)), { headers }).formData();
}

function requireText(form: FormData, name: string): string {
  const value = form.get(name);
  if (typeof value !== 'string' || value === '' || form.getAll(name).length > 1) throw new Error(`no single ${name}`);
  return value;
}

function requireFile(form: FormData, name: string): File {
  const value = form.get(name);
  if (!(value instanceof File) || form.getAll(name).length > 1) throw new Error(`no single file ${name}`);
  return value;
}

/** Sends the answer in chunks, without a length. */
function send(response: ServerResponse, [status, body, headers]: Answer): void {
  const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(status, { ...(!isRaw && { 'content-type': 'application/json; charset=utf-8' }), ...headers });
  response.write('');
  response.end(isRaw ? body : JSON.stringify(body));
}
