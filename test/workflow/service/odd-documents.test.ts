import { Readable } from 'node:stream';
import { ListMultipartUploadsCommand, ListPartsCommand } from '@aws-sdk/client-s3';
import { defaultOffers } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { confirming, downloading, inject, reading, type ServiceFault, signing } from '../../helpers/faults.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { filesToSign, orderAtService, putSignature, rejection, signatureOf, signed } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS } });
const { settings } = world.simulator;

test('fileIds with odd characters and the longest fileIds and offerIds fit into every key, also if the bytes of all documents are the same', async () => {
  const orderRef = 'o'.repeat(64);
  const odd = ['contracts/2026/№ 1', 'Договор займа.pdf', '../up', '100% of it', 'a+b&c=d?e#f'];
  const fileIds = [...odd, 'x'.repeat(900), 'Ж'.repeat(150)];
  const content = Buffer.from('%PDF-1.7 the same');
  Object.assign(settings, { documentTemplates: fileIds.map((fileId) => ({ fileId, content })), offers: defaultOffers });
  world.simulator.hooks.after = async (call, _request, _reply, payload) =>
    reading(call) ? String(payload).replaceAll(/"offerId":"/g, `"offerId":"${'y'.repeat(864)}`) : undefined;
  world.simulator.hooks.before = async (call, _request, reply) => {
    if (confirming(call)) await reply.code(202).send();
  };
  await world.submit(orderRef, { offers: { choose: 'manual' } });
  expect((await filesToSign(world, orderRef)).sort()).toEqual(fileIds.toSorted());
  const staged = (await world.stagedKeys(orderRef)).filter((key) => key.startsWith('to-sign/'));
  expect(staged).toHaveLength(fileIds.length);
  for (const signature of ['no signature', await signatureOf(content)]) {
    // to-sign.json has %2F and %D0.
    for (const fileId of fileIds)
      await world.put(orderRef, `signatures/${encodeURIComponent(fileId).toLowerCase()}.sig`, signature);
    await world.aws.settle();
    if (signature !== 'no signature') continue;
    for (const fileId of fileIds) expect(await rejection(world, orderRef, fileId)).toBeDefined();
  }
  await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision', { signing: false });
  const { signatures } = await orderAtService(world, orderRef);
  expect(signatures.map(({ fileId, kind }) => `${fileId} ${kind}`).sort()).toEqual(
    fileIds.map((fileId) => `${fileId} cms-valid`).sort(),
  );
  const [offer] = await world.stagedJson<{ offerId: string; creditOptions: { code: string }[] }[]>(
    orderRef,
    'offers.json',
  );
  expect(offer?.offerId).toHaveLength(900);
  const choices = [{ offerId: offer?.offerId, code: offer?.creditOptions[0]?.code }];
  await world.put(orderRef, 'decision.json', { choices });
  await world.until(orderRef, ({ waitingFor }) => waitingFor === 'service');
  await world.aws.settle();
  const items = await world.items(orderRef);
  expect(items.find(({ item }) => item === `operation#confirm#${offer?.offerId}`)).toMatchObject({ state: 'done' });
});

test('an empty document to sign is an outage with a clear cause, and a retry continues once it has content', async () => {
  settings.documentTemplates = [{ fileId: 'empty', content: Buffer.alloc(0) }];
  const { failure } = await world.submitUntil('empty', (order) => order.failure !== undefined);
  expect(failure).toMatchObject({ error: 'ServiceUnavailable', cause: expect.stringContaining('but it is empty') });
  expect(await world.stagedKeys('empty')).not.toContain('to-sign.json');
  const [document] = (await orderAtService(world, 'empty')).generatedDocuments;
  if (document) document.content = Buffer.from('%PDF-1.7 with bytes');
  await world.startNext('empty');
  expect(await world.untilEnd('empty')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

const MIB = 1024 * 1024;
const MINUTE = 60_000;
/** How long S3 waits for the next bytes of a body. */
const IDLE = 20_000;

async function storedParts(): Promise<number> {
  const Bucket = world.outputs.StagingBucket;
  const { Uploads = [] } = await world.s3.send(new ListMultipartUploadsCommand({ Bucket }));
  const pages = Uploads.map(({ Key, UploadId }) => world.s3.send(new ListPartsCommand({ Bucket, Key, UploadId })));
  return (await Promise.all(pages)).reduce((sum, { Parts = [] }) => sum + Parts.length, 0);
}

test('a download that pauses for a minute is staged, and is not downloaded again', async () => {
  const content = Buffer.alloc(6 * MIB, '%PDF');
  world.simulator.settings.documentTemplates = [{ fileId: 'paused', content }];
  inject(world.simulator, 'before', downloading, async (_call, _request, reply) => {
    const { raw } = reply.hijack();
    raw.writeHead(200, { 'content-type': 'application/pdf', 'content-length': content.length });
    raw.write(content.subarray(0, -1));
    const { clock } = world;
    const arrived = async () => clock.nextTimerAt() === clock.now() + IDLE || (await storedParts()) > 0;
    await expect.poll(arrived).toBe(true);
    clock.advanceTo(clock.now() + MINUTE);
    raw.end(content.subarray(-1));
  });
  expect(await world.submitToEnd('paused')).toMatchObject({ status: 'CLOSED' });
  // Once to be signed, and once to be compared.
  expect(await world.calls('paused', downloading)).toHaveLength(2);
});

const breakOff: ServiceFault = async (_call, _request, reply) => {
  const { raw } = reply.hijack();
  raw.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 20 * MIB });
  raw.write(Buffer.alloc(6 * MIB, '%PDF'), () => raw.destroy());
};

test('a document that S3 refuses, or whose download breaks off, is downloaded again, and leaves no parts and sends no signature', async () => {
  const logged = (words: string) => world.aws.logs().some(({ line }) => line.includes(words));
  const refused = 'Order broken: document number 1 to sign could not be staged (AccessDenied)';
  world.wrappers.requestWrapper = async ({ operation, path }) =>
    operation === 'PUT' && path.includes('/broken/to-sign/') && !logged(refused)
      ? { status: 403, code: 'AccessDenied' }
      : undefined;
  // Long enough that S3 refuses it before it has arrived.
  settings.documentTemplates = [{ fileId: 'broken', content: Buffer.alloc(20 * MIB, '%PDF') }];
  await world.submit('broken');
  await world.aws.runUntil(() => logged(refused));
  expect(await storedParts()).toBe(0);
  const [document] = (await orderAtService(world, 'broken')).generatedDocuments;
  if (document) document.content = Buffer.from('%PDF-1.7 short');
  inject(world.simulator, 'before', downloading, breakOff);
  await world.aws.runUntil(() => logged('Order broken: the download of document number 1 to sign broke off'));
  expect(await storedParts()).toBe(0);
  await filesToSign(world, 'broken');
  const sentBefore: number[] = [];
  inject(world.simulator, 'before', downloading, async (...call) => {
    sentBefore.push((await world.calls('broken', signing)).length);
    await breakOff(...call);
  });
  await putSignature(world, 'broken', 'broken', await signed(world, 'broken', 'broken'));
  expect(await world.untilEnd('broken', { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(sentBefore).toEqual([0]);
  expect(await world.calls('broken', signing)).toHaveLength(1);
});

/** Small enough to be exceeded by what a test can send. */
const limits = { LIMIT_DOCUMENT_BYTES: '20000' };

async function problemsOf(orderRef: string) {
  await world.aws.settle();
  return (await world.packageProblems(orderRef)) ?? [];
}

test('a package with a large order.json or document is rejected', async () => {
  world.aws.useFunctionVariables(limits);
  const content = orderPackage();
  await world.put('large-order', 'documents/charter.pdf', 'charter');
  await world.put('large-order', 'order.json', { ...content, order: { ...content.order, text: 'x'.repeat(2 ** 20) } });
  expect(await problemsOf('large-order')).toMatchObject([
    { path: '$', problem: 'order.json is larger than 1048576 bytes.' },
  ]);

  await world.put('large-file', 'documents/charter.pdf', 'x'.repeat(20_001));
  await world.put('large-file', 'order.json', content);
  expect(await problemsOf('large-file')).toMatchObject([
    {
      path: '$.documents[0].file',
      problem: expect.stringContaining('20001 bytes'),
      fix: expect.stringContaining("The stage's setting limits.documentBytes does not allow more."),
    },
  ]);
  await world.putAndSettle('large-file', 'documents/charter.pdf', 'x'.repeat(20_000));
  expect(await world.record('large-file')).toMatchObject({ documents: [{ size: 20_000 }] });
});

test('an order fails while a document to sign is too large, and the cause says so', async () => {
  world.aws.useFunctionVariables(limits);
  const large =
    (headers: Record<string, string>): ServiceFault =>
    async (_call, _request, reply) => {
      const parts = [Buffer.alloc(20_000), Buffer.alloc(1)];
      await reply.code(200).headers(headers).send(Readable.from(parts));
    };
  const cause = expect.stringContaining("is larger than the 20000 bytes of the stage's setting limits.documentBytes");
  for (const [orderRef, headers] of [
    ['declared', { 'content-length': '20001' }],
    ['undeclared', {}],
  ] as const) {
    inject(world.simulator, 'before', downloading, large(headers), 100);
    expect(await world.submitToEnd(orderRef)).toMatchObject({ failure: { error: 'UnexpectedResponse', cause } });
    expect(await world.stagedKeys(orderRef)).not.toContainEqual(expect.stringContaining('to-sign/'));
  }
});
