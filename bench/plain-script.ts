import { createHash, sign } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { makeSigner } from '../packages/detached-signatures/certificates.ts';
import { createDetachedSignature } from '../packages/detached-signatures/create-signature.ts';
import { type Simulator, startSimulator } from '../packages/order-simulator/index.ts';
import { examplePackage } from './laptop-client.ts';

/** Milliseconds and bytes. They include the simulator, which runs in the same process. */
export interface PlainRun {
  orders: number;
  wall: number;
  cpu: number;
  peakResidentSet: number;
}

interface Answer {
  status: number;
  bytes: Buffer;
}

interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: string | FormData;
}

type Send = (request: Request) => Promise<Answer>;

interface OrderRead {
  status: string;
  pollAfterSeconds: number;
  documents?: { fileId: string }[];
  offers?: { offerId: string; status: string; creditOptions: { code: string }[] }[];
}

const CONNECTIONS = 16;
const OFFERS_CHOSEN = 2;
const signer = makeSigner('p-256');

/** Makes the service calls of one order as the workflow does, but without a record: if the script ends, nothing is left. */
async function driveOrder(send: Send): Promise<void> {
  const files = examplePackage();
  const { order, documents } = JSON.parse(files.at(-1)?.content.toString() ?? '') as {
    order: object;
    documents: { file: string; entityId: string; sourceEntityId: string; docType: string }[];
  };
  const post = async (path: string, body?: string | FormData) => send({ method: 'POST', path, ...(body && { body }) });
  const { orderId } = parse<{ orderId: string }>(await post('/v1/orders', JSON.stringify(order)));
  const path = `/v1/orders/${orderId}`;
  for (let read = await readOrder(send, path); read.status !== 'CLOSED'; read = await readOrder(send, path)) {
    if (read.status === 'WAITING_FOR_DOCUMENTS') {
      const uploads = documents.map(async ({ file, ...fields }) => {
        const content = files.find(({ name }) => name === file)?.content as Buffer;
        await post(`${path}/documents`, formOf(fields, 'file', file, content));
      });
      await Promise.all(uploads);
      await post(`${path}/accept`);
    } else if (read.status === 'WAITING_FOR_SIGNATURE') {
      await Promise.all((read.documents ?? []).map(({ fileId }) => signDocument(send, path, fileId)));
      await post(`${path}/accept`);
    } else if (read.status === 'OFFERS_AVAILABLE') {
      const available = (read.offers ?? []).filter(({ status }) => status === 'AVAILABLE').slice(0, OFFERS_CHOSEN);
      for (const { offerId, creditOptions } of available)
        await post(`${path}/confirm`, JSON.stringify({ offerId, code: creditOptions[0]?.code }));
    }
    await delay(read.pollAfterSeconds * 1000);
  }
}

async function readOrder(send: Send, path: string): Promise<OrderRead> {
  return parse<OrderRead>(await send({ method: 'GET', path }));
}

/** Downloads a document to sign it, and again to compare it, as the workflow does. */
async function signDocument(send: Send, path: string, fileId: string): Promise<void> {
  const download = { method: 'GET', path: `${path}/documents/${fileId}/download` } as const;
  const { bytes } = await send(download);
  const signature = await createDetachedSignature({
    digest: createHash('sha256').update(bytes).digest(),
    digestAlgorithm: 'sha256',
    certificates: [signer.certificate],
    keyType: signer.keyType,
    signingTime: new Date(),
    sign: async (data) => sign('sha256', data, signer.privateKey),
  });
  if (!bytes.equals((await send(download)).bytes)) throw new Error('The document has changed.');
  const body = formOf({ fileId }, 'signature', 'document.sig', signature);
  await send({ method: 'POST', path: `${path}/documents/sign`, body });
}

function formOf(fields: Record<string, string>, field: string, name: string, content: Uint8Array): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  form.append(field, new Blob([new Uint8Array(content)]), name);
  return form;
}

function parse<Value>({ bytes }: Answer): Value {
  return JSON.parse(bytes.toString()) as Value;
}

/** Sends calls over several open connections. */
function poolOf({ url }: Simulator, token: string): { send: Send; close(): Promise<void> } {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const send: Send = async ({ method, path, body }) => {
    const encoded = body instanceof FormData ? new Response(body) : undefined;
    const type = encoded?.headers.get('content-type') ?? 'application/json';
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': type }) };
    const content = encoded ? Buffer.from(await encoded.arrayBuffer()) : ((body as string | undefined) ?? null);
    const { statusCode, body: answer } = await pool.request({ method, path, headers, body: content });
    return checked({ status: statusCode, bytes: Buffer.from(await answer.arrayBuffer()) });
  };
  return { send, close: () => pool.close() };
}

/** Sends one call after the other, for all orders together. */
function sequenceOf({ url }: Simulator, token: string): { send: Send; close(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve();
  const sendNow: Send = async ({ method, path, body }) => {
    const isJson = typeof body === 'string';
    const headers = { authorization: `Bearer ${token}`, ...(isJson && { 'content-type': 'application/json' }) };
    const response = await fetch(url + path, { method, headers, ...(body && { body }) });
    return checked({ status: response.status, bytes: Buffer.from(await response.arrayBuffer()) });
  };
  const send: Send = (request) => {
    const answer = last.then(() => sendNow(request));
    last = answer.catch(() => undefined);
    return answer;
  };
  return { send, close: async () => undefined };
}

function checked(answer: Answer): Answer {
  if (answer.status < 300) return answer;
  throw new Error(`The service answered ${answer.status}: ${answer.bytes.toString()}`);
}

async function tokenOf({ authorizationUrl, settings }: Simulator): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: settings.clientId,
    client_secret: settings.clientSecret,
  });
  const response = await fetch(`${authorizationUrl}/oauth2/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function main(): Promise<PlainRun> {
  const { values } = parseArgs({ options: { orders: { type: 'string' }, by: { type: 'string' } } });
  const orders = Number(values.orders);
  // The same settings as on the laptop (laptop/laptop.ts).
  const simulator = await startSimulator({ settings: { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 2 } });
  const connectionsOf = values.by === 'pool' ? poolOf : sequenceOf;
  const { send, close } = connectionsOf(simulator, await tokenOf(simulator));
  const [begun, before] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: orders }, () => driveOrder(send)));
  const wall = performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  await close();
  await simulator.close();
  return { orders, wall, cpu: (user + system) / 1000, peakResidentSet: process.resourceUsage().maxRSS * 1024 };
}

process.stdout.write(JSON.stringify(await main()));
