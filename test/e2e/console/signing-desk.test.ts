import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { beforeEach, expect, test } from 'vitest';
import type { DeskFacts, SignatureVerdict } from '../../../console/api.ts';
import { openConsole, refused } from '../../helpers/open-console.ts';
import { openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { filesToSign, putSignature, signatureOf, signed } from '../../helpers/signatures.ts';
import { openFolder, run, signerFiles, zipped } from '../../helpers/signer-files.ts';

let requests: string[] = [];
const settings = { ...SIGNATURES_AT_ONCE, documentsToSign: 2 };
const world = await openWorld({
  settings,
  ordersGoOn: true,
  requestWrapper: async ({ operation, path, accessKeyId }) => {
    if (accessKeyId === 'local') requests.push(`${operation} ${path}`);
    return undefined;
  },
});
const folder = openFolder();
const signer = signerFiles(folder);
const { get, ask, read } = await openConsole(world);

beforeEach(() => world.forget(settings));

/** What the console asks AWS for meanwhile: how many requests of each operation. */
async function counted<Result>(work: () => Promise<Result>): Promise<[Result, Record<string, number>]> {
  requests = [];
  const result = await work();
  const counts: Record<string, number> = {};
  for (const one of requests) counts[one.split(' ')[0] ?? ''] = (counts[one.split(' ')[0] ?? ''] ?? 0) + 1;
  return [result, counts];
}

async function waiting(...orderRefs: string[]): Promise<void> {
  for (const orderRef of orderRefs) await world.submit(orderRef, { offers: { choose: 'manual' } });
  for (const orderRef of orderRefs) await filesToSign(world, orderRef);
}

/** Looks until the console has seen that. */
async function desk(isIt: (facts: DeskFacts) => boolean): Promise<DeskFacts> {
  let facts: DeskFacts | undefined;
  await expect
    .poll(async () => {
      facts = await read<DeskFacts>('/api/desk');
      return isIt(facts);
    })
    .toBe(true);
  return facts as DeskFacts;
}

async function drop(name: string, bytes: Uint8Array | string, more: Record<string, string> = {}) {
  const { status, ...verdicts } = await ask<object>(
    `/api/desk/signatures?${new URLSearchParams({ name, ...more })}`,
    bytes,
  );
  expect(status).toBe(200);
  return Object.values(verdicts) as SignatureVerdict[];
}

test('30 documents of 12 orders: one list, one ZIP out, signed with OpenSSL, one ZIP in, and all orders go on', async () => {
  const orderRefs = Array.from({ length: 12 }, (_one, at) => `desk-${String(at).padStart(2, '0')}`);
  await waiting(...orderRefs.slice(0, 6));
  world.simulator.settings.documentsToSign = 3;
  await waiting(...orderRefs.slice(6));
  const shown = { labels: { company: 'ООО Ромашка' }, due: '2026-02-01T00:00:00.000Z' };
  await world.rewrite('desk-03', shown);
  const facts = await desk(({ orders }) => orders.length === 12);
  expect(facts.orders.map(({ orderRef }) => orderRef).sort()).toEqual(orderRefs);
  expect(facts.orders).toContainEqual(expect.objectContaining(shown));

  const out = await (await get('/api/desk/documents.zip')).arrayBuffer();
  const entries = await new ZipReader(new Uint8ArrayReader(new Uint8Array(out))).getEntries();
  expect(entries).toHaveLength(30);
  const signatures: Record<string, Buffer> = {};
  for (const entry of entries) {
    if (entry.directory) continue;
    const file = join(folder.path('out'), entry.filename);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await entry.getData(new Uint8ArrayWriter()));
    const count = Object.keys(signatures).length;
    const how = ['-binary', '-outform', 'DER', '-signer', signer.cert, '-inkey', signer.key];
    // Without attributes, a signature does not contain the digest. Its folder and name say which document is tried first.
    if (count === 29) how.push('-noattr');
    await run('openssl', ['cms', '-sign', ...how, '-in', file, '-out', `${file}.sig`]);
    signatures[count === 29 ? `x/${entry.filename}.sig` : `подписи/${count}.sig`] = readFileSync(`${file}.sig`);
  }
  const zip = await zipped(signatures);
  const [verdicts, judging] = await counted(() => drop('signatures.zip', zip));
  expect(verdicts.filter(({ passed }) => passed)).toHaveLength(30);
  expect(new Set(verdicts.map(({ orderRef, fileId }) => `${orderRef} ${fileId}`)).size).toBe(30);
  expect(verdicts[0]?.signers).toEqual([expect.objectContaining({ name: 'Test signer' })]);
  const chosen = { orders: orderRefs.join(), handIn: Object.keys(verdicts).join() };
  const [handedIn, handing] = await counted(() => drop('signatures.zip', zip, chosen));
  expect(handedIn.filter(({ passed }) => passed)).toHaveLength(30);
  // Two pages of each order, and the document of the signature without attributes.
  expect([judging.GET, handing.GET, handing.PUT]).toEqual([25, 25, 30]);
  for (const orderRef of orderRefs)
    await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision', { signing: false });
  expect(await desk(({ orders }) => orders.length === 0)).toEqual({ orders: [], more: 0 });
  expect(await ask('/api/desk/documents.zip')).toMatchObject(refused('there is nothing to download'));
});

test('a document with two valid signatures, one that is not here, and broken files among good ones', async () => {
  await waiting('mixed-a', 'mixed-b');
  const [a = '', b = ''] = await filesToSign(world, 'mixed-a');
  await desk(({ orders }) => orders.length === 2);
  const good = await signed(world, 'mixed-a', a);
  const files: [name: string, content: Uint8Array | string, expected: object][] = [
    ['mixed-b/x.sig', good, { passed: true, orderRef: 'mixed-a', fileId: a }],
    ['again.sig', await signed(world, 'mixed-a', a), { passed: true, orderRef: 'mixed-a', fileId: a }],
    ['broken.sig', 'x', { passed: false, code: expect.stringMatching(/^FORMAT_FAILURE/) }],
    ['foreign.sig', await signatureOf(Buffer.from('elsewhere')), { passed: false, code: 'signsNone' }],
    ['last.sig', await signed(world, 'mixed-a', b), { passed: true, orderRef: 'mixed-a', fileId: b }],
  ];
  const zip = await zipped(Object.fromEntries(files));
  const expected = files.map(([name, , one]) => expect.objectContaining({ name, ...one }));
  expect(await drop('mixed.zip', zip)).toEqual(expected);
  expect(await drop('mixed.zip', zip, { handIn: '0,4', orders: 'mixed-a' })).toEqual(expected);
  await world.until('mixed-a', ({ waitingFor }) => waitingFor === 'decision', { signing: false });
  expect(await world.told('mixed-a', 'A signature arrived')).toHaveLength(2);
  // An order that has gone on refuses its own signatures only.
  const [ofB = ''] = await filesToSign(world, 'mixed-b');
  const late = await zipped({ 'a.sig': good, 'b.sig': await signed(world, 'mixed-b', ofB) });
  expect(await drop('late.zip', late, { handIn: '0,1', orders: 'mixed-a,mixed-b' })).toEqual([
    expect.objectContaining({
      passed: false,
      code: 'nothingToSign',
      params: expect.objectContaining({ orderRef: 'mixed-a' }),
    }),
    expect.objectContaining({ passed: true, orderRef: 'mixed-b', fileId: ofB }),
  ]);
  expect((await drop('x.zip', zip.subarray(0, -9)))[0]).toMatchObject({ passed: false, code: 'archiveUnreadable' });
});

test('the desk follows what arrives and what is rejected, and its ZIP has the chosen orders and what lacks a signature', async () => {
  await waiting('follow-a', 'follow-b');
  const [a = '', b = ''] = await filesToSign(world, 'follow-a');
  await desk((facts) => facts.orders.length === 2);
  // Lines of the timeline with the same time have no order.
  await world.pass(1_000);
  await putSignature(world, 'follow-a', a, await signed(world, 'follow-a', a));
  await putSignature(world, 'follow-a', b, 'x');
  await world.aws.settle();
  // Their rows do not change.
  const { orders } = await desk((facts) => facts.orders.some(({ refused: [one] }) => one?.fileId === b));
  const documents = orders.find(({ orderRef }) => orderRef === 'follow-a')?.documents ?? [];
  expect(documents.filter(({ hasSignature }) => hasSignature).map(({ fileId }) => fileId)).toEqual([a]);
  const left = documents.find(({ fileId }) => fileId === b);
  const namesIn = async (query: string) => {
    const zip = new Uint8Array(await (await get(`/api/desk/documents.zip${query}`)).arrayBuffer());
    return (await new ZipReader(new Uint8ArrayReader(zip)).getEntries()).map(({ filename }) => filename);
  };
  expect(await namesIn('?orders=follow-a')).toEqual([`follow-a/${left?.name}`]);
  expect(await namesIn('')).toHaveLength(3);
  expect(await ask('/api/desk/documents.zip?orders=nowhere')).toMatchObject(refused('There is no order nowhere here'));
});

test('of many orders the desk has the hundred that wait longest, says how many others wait, and reads few again', async () => {
  await waiting('many-000');
  const items = (await world.items('many-000')).filter(({ item }) => /^(order|to-sign#.*|event#.*)$/.test(item));
  const began = Date.parse(`${items.find(({ item }) => item === 'order')?.changedAt}`);
  for (let at = 1; at < 103; at += 1) {
    const changedAt = new Date(began + at).toISOString();
    for (const item of items)
      await world.rewrite(`many-${at}`, { ...item, orderRef: `many-${at}`, changedAt }, item.item);
  }
  const { orders, more } = await desk((facts) => facts.more > 0);
  // Orders of the tests before are forgotten by all but the list.
  const gone = 100 - orders.length;
  expect([gone < 4, more - gone]).toEqual([true, 3]);
  expect(orders.map(({ orderRef }) => orderRef)).toEqual([
    'many-000',
    ...Array.from(orders.slice(1), (_one, at) => `many-${at + 1}`),
  ]);
  const [, counts] = await counted(() => desk(() => requests.length > 0));
  // Six queries find what changed in any order. Ten orders are read again.
  expect(counts).toEqual({ Query: 16 });
});
