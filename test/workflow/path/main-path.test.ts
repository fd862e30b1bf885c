import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { checkCalls } from '../../helpers/contract.ts';
import { openWorld, SLOWER_SERVICE } from '../../helpers/open-world.ts';
import { labelled, SECRET_LABELS, secretWords } from '../../helpers/packages.ts';
import { orderAtService } from '../../helpers/signatures.ts';
import { listenToEvents } from '../../helpers/told-events.ts';

const world = await openWorld({ settings: { ...SLOWER_SERVICE, documentsToSign: 2 }, environment: labelled() });
const events = listenToEvents(world);
const documents = ['charter.pdf', 'balance.pdf', 'passport.pdf'];

beforeAll(async () => {
  await world.submitToEnd('main', { documents });
});

test('each document, signature and confirm is sent once, and each document to sign is downloaded twice', async () => {
  expect(await world.executions('main')).toMatchObject([{ name: 'main-1', status: 'SUCCEEDED' }]);
  const calls = await world.calls('main');
  const changing = calls.filter(({ route, method }) => !(method === 'GET' && route === '/v1/orders/{orderId}'));
  const count = (route: string) => changing.filter((call) => `${call.method} ${call.route}` === route).length;
  expect(changing.map(({ status }) => status).every((status) => status !== undefined && status < 300)).toBe(true);
  expect({
    created: count('POST /v1/orders'),
    documents: count('POST /v1/orders/{orderId}/documents'),
    accepted: count('POST /v1/orders/{orderId}/accept'),
    downloads: count('GET /v1/orders/{orderId}/documents/{fileId}/download'),
    signatures: count('POST /v1/orders/{orderId}/documents/sign'),
    confirms: count('POST /v1/orders/{orderId}/confirm'),
    all: changing.length,
  }).toEqual({ created: 1, documents: 3, accepted: 2, downloads: 4, signatures: 2, confirms: 2, all: 14 });
});

test('every document arrives with its own bytes, and every signature is valid CMS', async () => {
  const order = await orderAtService(world, 'main');
  const expected = documents.map((name) =>
    createHash('sha256').update(`bytes of documents/${name} of main`).digest('hex'),
  );
  expect(order.uploadedDocuments.map(({ file }) => file.sha256).sort()).toEqual(expected.sort());
  expect(order.signatures.map(({ kind }) => kind)).toEqual(['cms-valid', 'cms-valid']);
  expect(order.confirmations).toHaveLength(2);
});

test('no poll is early, one token serves the whole order, and every call follows the contract', async () => {
  const calls = await world.calls('main');
  expect(calls.filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
  expect(world.simulator.calls().filter(({ route }) => route === '/oauth2/token')).toHaveLength(1);
  expect(new Set(calls.map(({ tokenId }) => tokenId)).size).toBe(1);
  expect(checkCalls(world.simulator.calls())).toEqual([]);
});

test('history, logs, events, pages, record and timeline hold no questionnaire, document, signature, token or secret, and the record only labels of it', async () => {
  const history = JSON.stringify(await world.histories('main'));
  const logs = JSON.stringify(world.aws.logs());
  const items = await world.items('main');
  const { labels, ...order } = (await world.record('main')) ?? {};
  expect(labels).toEqual({ ...SECRET_LABELS, bank: 'First Bank; Third Bank' });
  const record = JSON.stringify([order, ...items.filter(({ item }) => item !== 'order')]);
  // The snapshot is the bank's answer.
  const pages = (await world.stagedKeys('main')).filter(
    (key) => key.endsWith('.json') && !key.endsWith('/snapshot.json'),
  );
  const told = JSON.stringify([events, ...(await Promise.all(pages.map((key) => world.downloadText(key))))]);
  expect(told).toContain('CLOSED');
  expect(history.length).toBeGreaterThan(1000);
  expect(logs.length).toBeGreaterThan(1000);
  const others = [world.simulator.settings.clientSecret, 'bytes of documents', '%PDF', 'Bearer'];
  for (const secret of [...Object.values(secretWords), ...others])
    expect(history + logs + record + told).not.toContain(secret);
  for (const bank of ['First Bank', '51234567']) expect(history + logs + record).not.toContain(bank);
  // A token has a dot. The kept reads are Base64 too, and have none.
  expect(history + logs + record).not.toMatch(/eyJ[\w-]+\./);
});

test('staging holds the documents to sign with their hashes, the unchanged offers and the last read', async () => {
  const documents = await world.documentsToSign('main');
  expect(documents).toHaveLength(2);
  for (const { key, sha256 } of documents) {
    const bytes = await world.stagedBytes('main', key.slice('orders/main/'.length));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  }
  const { offers } = await orderAtService(world, 'main');
  expect(await world.stagedJson('main', 'offers.json')).toEqual(JSON.parse(JSON.stringify(offers)));
  const lastRead = { status: 'CLOSED', questionnaire: secretWords };
  expect(await world.stagedJson('main', 'snapshot.json')).toMatchObject(lastRead);
  expect(await world.stagedJson('main', 'status.json')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  expect(await world.allAnswers('orders/main/')).toEqual([]);
});
