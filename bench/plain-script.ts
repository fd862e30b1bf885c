import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import { startSimulator } from '@business-loan-orders/order-simulator';
import { examplePackage } from '../laptop/example-package.ts';
import { signDigest } from '../laptop/people/partner-signer.ts';

/** Milliseconds and bytes. CPU time and memory include the simulator, which runs in the same process. */
export interface PlainRun {
  wall: number;
  cpu: number;
  peakResidentSet: number;
}

interface OrderRead {
  status: string;
  pollAfterSeconds: number;
  documents?: { fileId: string }[];
  offers?: { offerId: string; status: string; creditOptions: { code: string }[] }[];
}

interface Package {
  order: object;
  documents: { file: string; entityId: string; sourceEntityId: string; docType: string }[];
}

type Send = (path: string, body?: object) => Promise<Buffer>;

const OFFERS_CHOSEN = 2;
/** As on the laptop. */
const WAITS = { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 2 };

const twoOffers = examplePackage('two-offers');
const signer = makeSigner('p-256');
const { order, documents } = JSON.parse(String(twoOffers.at(-1)?.content)) as Package;

/** Makes the same service calls as the workflow for one order, but stores nothing, so an order cannot be resumed. */
async function driveOrder(send: Send): Promise<void> {
  const { orderId } = JSON.parse(String(await send('/v1/orders', order))) as { orderId: string };
  const path = `/v1/orders/${orderId}`;
  for (;;) {
    const read = JSON.parse(String(await send(path))) as OrderRead;
    if (read.status === 'CLOSED') return;
    await act(send, path, read);
    await delay(read.pollAfterSeconds * 1000);
  }
}

async function act(
  send: Send,
  path: string,
  { status, documents: toSign = [], offers = [] }: OrderRead,
): Promise<void> {
  if (status === 'WAITING_FOR_DOCUMENTS') {
    const uploads = documents.map(({ file, ...fields }) => {
      const content = twoOffers.find(({ name }) => name === file)?.content as Buffer;
      return send(`${path}/documents`, formOf(fields, 'file', file, content));
    });
    await Promise.all(uploads);
    await send(`${path}/accept`, {});
  } else if (status === 'WAITING_FOR_SIGNATURE') {
    await Promise.all(toSign.map(({ fileId }) => signDocument(send, path, fileId)));
    await send(`${path}/accept`, {});
  } else if (status === 'OFFERS_AVAILABLE') {
    const available = offers.filter((offer) => offer.status === 'AVAILABLE').slice(0, OFFERS_CHOSEN);
    for (const { offerId, creditOptions } of available)
      await send(`${path}/confirm`, { offerId, code: creditOptions[0]?.code });
  }
}

/** Like the workflow, downloads a document twice: to sign it, and to check that it has not changed. */
async function signDocument(send: Send, path: string, fileId: string): Promise<void> {
  const download = () => send(`${path}/documents/${fileId}/download`);
  const bytes = await download();
  const signature = await signDigest(signer, createHash('sha256').update(bytes).digest());
  if (!bytes.equals(await download())) throw new Error('The document has changed.');
  await send(`${path}/documents/sign`, formOf({ fileId }, 'signature', 'document.sig', signature));
}

function formOf(fields: Record<string, string>, field: string, name: string, content: Uint8Array): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  form.append(field, new Blob([new Uint8Array(content)]), name);
  return form;
}

function senderOf(url: string, token: string): Send {
  const authorization = `Bearer ${token}`;
  return async (path, body) => {
    const isForm = body instanceof FormData;
    const headers = { authorization, ...(body && !isForm && { 'content-type': 'application/json' }) };
    const content = isForm ? body : JSON.stringify(body);
    const response = await fetch(url + path, body ? { method: 'POST', headers, body: content } : { headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.ok) return bytes;
    throw new Error(`The service answered ${response.status}: ${bytes}`);
  };
}

async function main(orders: number): Promise<PlainRun> {
  const simulator = await startSimulator({ settings: WAITS });
  const { clientId: client_id, clientSecret: client_secret } = simulator.settings;
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const answer = await fetch(`${simulator.authorizationUrl}/oauth2/token`, { method: 'POST', body });
  const { access_token } = (await answer.json()) as { access_token: string };
  const send = senderOf(simulator.url, access_token);
  const [begun, before] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: orders }, () => driveOrder(send)));
  const wall = performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  await simulator.close();
  return { wall, cpu: (user + system) / 1000, peakResidentSet: process.resourceUsage().maxRSS * 1024 };
}

process.stdout.write(JSON.stringify(await main(Number(process.argv[2]))), () => process.exit());
