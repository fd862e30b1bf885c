import { ListMultipartUploadsCommand, ListPartsCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { confirming, downloading, inject, reading, type ServiceFault, signing } from '../../helpers/faults.ts';
import { openWorld, SIGNATURES_AT_ONCE, submit } from '../../helpers/open-world.ts';
import { filesToSign, orderAtService, putSignature, rejection, signatureOf, signed } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: SIGNATURES_AT_ONCE });
const { settings } = world.simulator;

test('documents whose fileIds have slashes, spaces, percent signs or Cyrillic letters are signed under these fileIds, however the signer encodes them, also if their bytes are the same', async () => {
  const fileIds = ['contracts/2026/№ 1', 'Договор займа.pdf', '../up', '100% of it', 'a+b&c=d?e#f'];
  const content = Buffer.from('%PDF-1.7 the same');
  settings.documentTemplates = fileIds.map((fileId) => ({ fileId, content }));
  await submit(world, 'odd-names');
  expect((await filesToSign(world, 'odd-names')).sort()).toEqual(fileIds.toSorted());
  const staged = (await world.stagedKeys('odd-names')).filter((key) => key.startsWith('to-sign/'));
  expect(staged).toHaveLength(fileIds.length);
  const signature = await signatureOf(content);
  // to-sign.json has %2F and %D0.
  for (const fileId of fileIds)
    await world.put('odd-names', `signatures/${encodeURIComponent(fileId).toLowerCase()}.sig`, signature);
  expect(await world.untilEnd('odd-names', { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
  const { signatures } = await orderAtService(world, 'odd-names');
  expect(signatures.map(({ fileId, kind }) => `${fileId} ${kind}`).sort()).toEqual(
    fileIds.map((fileId) => `${fileId} cms-valid`).sort(),
  );
});

test('the longest accepted fileIds and offerIds with the longest orderRef fit into every S3 and DynamoDB key', async () => {
  const orderRef = 'o'.repeat(64);
  const fileIds = ['x'.repeat(900), 'Ж'.repeat(150)];
  settings.documentTemplates = fileIds.map((fileId) => ({ fileId }));
  world.simulator.hooks.after = async (call, _request, _reply, payload) =>
    reading(call) ? String(payload).replaceAll(/"offerId":"/g, `"offerId":"${'y'.repeat(864)}`) : undefined;
  world.simulator.hooks.before = async (call, _request, reply) => {
    if (confirming(call)) await reply.code(202).send();
  };
  await submit(world, orderRef, { offers: { choose: 'manual' } });
  await filesToSign(world, orderRef);
  for (const fileId of fileIds) await putSignature(world, orderRef, fileId, Buffer.from('no signature'));
  await world.aws.settle();
  for (const fileId of fileIds) expect(await rejection(world, orderRef, fileId)).toBeDefined();
  for (const fileId of fileIds) await putSignature(world, orderRef, fileId, await signed(world, orderRef, fileId));
  await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision', { signing: false });
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

test('an empty document to sign fails the order with a clear cause, and a retry continues once it has content', async () => {
  settings.documentTemplates = [{ fileId: 'empty', content: Buffer.alloc(0) }];
  await submit(world, 'empty');
  const { failure } = await world.untilEnd('empty');
  expect(failure).toMatchObject({
    error: 'UnexpectedResponse',
    cause: expect.stringContaining('number 1 to sign is empty'),
  });
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

/** The parts that staging holds of uploads that are not complete. */
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
  await submit(world, 'paused');
  expect(await world.untilEnd('paused')).toMatchObject({ status: 'CLOSED' });
  // Once to be signed, and once to be compared.
  expect(await world.calls('paused', downloading)).toHaveLength(2);
});

const causeOf = async (orderRef: string) =>
  (await world.until(orderRef, ({ failure }) => failure !== undefined)).failure?.cause;

test('a long document that S3 refuses is not taken for a broken download', async () => {
  world.wrappers.requestWrapper = async ({ operation, path }) =>
    operation === 'PUT' && path.includes('/refused/to-sign/') ? { status: 403, code: 'AccessDenied' } : undefined;
  world.simulator.settings.documentTemplates = [{ fileId: 'refused', content: Buffer.alloc(20 * MIB, '%PDF') }];
  await submit(world, 'refused');
  expect(await causeOf('refused')).toMatch(/document number 1 to sign could not be staged \(AccessDenied\)/);
  expect(await storedParts()).toBe(0);
});

const breakOff: ServiceFault = async (_call, _request, reply) => {
  const { raw } = reply.hijack();
  raw.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 20 * MIB });
  raw.write(Buffer.alloc(6 * MIB, '%PDF'), () => raw.destroy());
};

test('a download that breaks off leaves no parts, and is not taken for a fault of S3', async () => {
  inject(world.simulator, 'before', downloading, breakOff, Number.POSITIVE_INFINITY);
  await submit(world, 'cut');
  expect(await causeOf('cut')).toMatch(/the download of document number 1 to sign broke off/);
  expect(await storedParts()).toBe(0);
});

test('a comparison whose download breaks off sends nothing, and is repeated', async () => {
  settings.documentTemplates = [{ fileId: 'compared' }];
  await submit(world, 'compared');
  await filesToSign(world, 'compared');
  const sentBefore: number[] = [];
  inject(world.simulator, 'before', downloading, async (...call) => {
    sentBefore.push((await world.calls('compared', signing)).length);
    await breakOff(...call);
  });
  await putSignature(world, 'compared', 'compared', await signed(world, 'compared', 'compared'));
  expect(await world.untilEnd('compared', { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(sentBefore).toEqual([0]);
  expect(await world.calls('compared', signing)).toHaveLength(1);
});
