import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import { expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { asUnknown } from '../../../packages/detached-signatures/test/helpers/cms.ts';
import { asBer } from '../../../packages/detached-signatures/test/helpers/signature-tree.ts';
import { accepting, signing } from '../../helpers/faults.ts';
import { NO_OFFERS, SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import {
  beforeUpload,
  filesToSign,
  orderAtService,
  putSignature,
  rejection,
  signatureOf,
  signed,
  signedByGost,
  signer,
  waitsForSignatures,
} from '../../helpers/signatures.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({
  settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 2 },
});

// The clock of a shared world may be anywhere. A test needs one that is far from the machine's.
if (Math.abs(world.clock.now() - Date.now()) < 90 * DAY) world.clock.advanceTo(Date.now() + 120 * DAY);

const toEnd = (orderRef: string) => world.untilEnd(orderRef, { signing: false });
const uploads = (orderRef: string) => world.calls(orderRef, signing);

/** Submits the order, and lets time pass until it waits for its two signatures. */
async function waiting(orderRef: string): Promise<[string, string]> {
  await submit(world, orderRef);
  return (await filesToSign(world, orderRef)) as [string, string];
}

async function put(orderRef: string, fileId: string, signature?: string | Uint8Array): Promise<void> {
  await putSignature(world, orderRef, fileId, signature ?? (await signed(world, orderRef, fileId)));
  await world.aws.settle();
}

async function expectWaitsWithNothingSent(orderRef: string): Promise<void> {
  expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'signatures', generation: 1 });
  expect(await uploads(orderRef)).toEqual([]);
}

/** Checks that the order closes now that its two signatures are there. */
async function expectSent(orderRef: string): Promise<void> {
  expect(await toEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await uploads(orderRef)).toHaveLength(2);
}

/** Checks that nothing was sent, and that the order waits until this file's good signature arrives. */
async function expectWaitsUntilSigned(orderRef: string, fileId: string): Promise<void> {
  await expectWaitsWithNothingSent(orderRef);
  await put(orderRef, fileId);
  expect(await rejection(world, orderRef, fileId)).toBeUndefined();
  await expectSent(orderRef);
}

test('when the signatures of two documents are swapped, each rejection names the document that was signed', async () => {
  const [first, second] = await waiting('swapped');
  await put('swapped', first, await signed(world, 'swapped', second));
  await put('swapped', second, await signed(world, 'swapped', first));
  expect(await rejection(world, 'swapped', first)).toContain(`It is the signature of the document ${second}.`);
  expect(await rejection(world, 'swapped', second)).toContain(`It is the signature of the document ${first}.`);
  const told = await world.told('swapped', 'A signature was rejected');
  expect(told.map(({ document }) => document).sort()).toEqual([1, 2]);
  expect(await world.told('swapped', 'A signature arrived')).toEqual([]);
  await put('swapped', first);
  await expectWaitsUntilSigned('swapped', second);
});

test('an order keeps waiting after bad signatures, which are rejected with their problems, and goes on after a good one', async () => {
  const [bad, other] = await waiting('bad');
  await put('bad', other);
  const good = await signed(world, 'bad', bad);
  // The certificate is judged by the world's clock, not the machine's.
  expect(Math.abs(world.clock.now() - Date.now())).toBeGreaterThan(60 * DAY);
  const dated = (from: number, to: number) => {
    const [notBefore, notAfter] = [from, to].map((days) => new Date(world.clock.now() + days * DAY));
    return makeSigner('p-256', { validity: { notBefore: notBefore as Date, notAfter: notAfter as Date } });
  };
  const cases: [string | Uint8Array, string][] = [
    ['bytes', 'It cannot be read as CMS SignedData'],
    [good.subarray(0, -30), 'It cannot be read as CMS SignedData'],
    [Buffer.alloc(1024 * 1024 + 1), 'It has 1048577 bytes'],
    ['', 'It is empty.'],
    [await signed(world, 'bad', bad, dated(-30, -1)), 'it expired at'],
    [asUnknown(await signed(world, 'bad', bad)), 'cannot be checked here'],
  ];
  for (const [signature, problem] of cases) {
    await put('bad', bad, signature);
    expect(await rejection(world, 'bad', bad)).toContain(problem);
    await expectWaitsWithNothingSent('bad');
  }
  await put('bad', bad, asBer(await signed(world, 'bad', bad, dated(-1, 30))));
  expect(await rejection(world, 'bad', bad)).toBeUndefined();
  await expectSent('bad');
});

test('GOST signatures are checked: one of the other document is named, and one in Base64 is sent as DER', async () => {
  const [first, second] = await waiting('gost');
  const byGost = async (fileId: string) => Buffer.from(await signedByGost(world, 'gost', fileId));
  await put('gost', first, await byGost(second));
  expect(await rejection(world, 'gost', first)).toContain(`It is the signature of the document ${second}.`);
  await put('gost', first, await byGost(first));
  await expectWaitsWithNothingSent('gost');
  const binary = await byGost(second);
  await put('gost', second, binary.toString('base64'));
  expect(await rejection(world, 'gost', second)).toBeUndefined();
  await expectSent('gost');
  const { signatures } = await orderAtService(world, 'gost');
  expect(signatures.find(({ fileId }) => fileId === second)?.file.bytes).toEqual(binary);
  expect(await world.told('gost', 'A signature is passed on unchecked')).toEqual([]);
});

test('a wrong signature that arrives before the order waits is rejected when the order waits', async () => {
  await submit(world, 'early');
  const { orderId = '' } = await world.until('early', (order) => order.orderId !== undefined);
  const { generatedDocuments } = await world.untilAtService(orderId, (order) => order.generatedDocuments.length > 0);
  const [first = '', second = ''] = generatedDocuments.map(({ fileId }) => fileId);
  await put('early', first, await signed(world, 'early', second));
  await put('early', second);
  expect(await rejection(world, 'early', first)).toBeUndefined();
  await world.until('early', waitsForSignatures, { signing: false });
  expect(await rejection(world, 'early', first)).toContain(`the document ${second}`);
  await expectWaitsUntilSigned('early', first);
});

test('when a bad signature replaces a good one after the last has arrived, it is not sent and the order waits again', async () => {
  const [first, second] = await waiting('late');
  beforeUpload(world, () => putSignature(world, 'late', second, 'bytes'));
  const readAt = (await world.record('late'))?.notBefore.readAt;
  await put('late', first);
  await put('late', second);
  const again = (order: OrderItem) => order.notBefore.readAt !== readAt && waitsForSignatures(order);
  const order = await world.until('late', again, { signing: false });
  expect(order).toMatchObject({ status: 'WAITING_FOR_SIGNATURE', generation: 1 });
  expect(order.failure).toBeUndefined();
  expect(await rejection(world, 'late', second)).toContain('It cannot be read');
  await put('late', second);
  expect(await toEnd('late')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await uploads('late')).toHaveLength(2);
});

test('a signature of a document of an earlier round is rejected and the rejection says so', async () => {
  await submit(world, 'rounds', { scenario: 'second-signing-round' });
  const [first = '', second = ''] = await filesToSign(world, 'rounds');
  const before = await signed(world, 'rounds', first);
  await put('rounds', first);
  await put('rounds', second);
  const inSecondRound = (order: OrderItem) => order.rounds?.signatures?.number === 2 && waitsForSignatures(order);
  await world.until('rounds', inSecondRound, { signing: false });
  const [third = '', fourth = ''] = await filesToSign(world, 'rounds');
  await put('rounds', third, before);
  expect(await rejection(world, 'rounds', third)).toContain(`an earlier version of the document ${first}`);
  await put('rounds', third);
  await put('rounds', fourth);
  expect(await toEnd('rounds')).toMatchObject({ status: 'CLOSED', generation: 1 });
  const sent = (await uploads('rounds')).map(({ requestBody }) => JSON.stringify(requestBody));
  expect(new Set(sent).size).toBe(4);
  expect(await world.calls('rounds', accepting)).toHaveLength(3);
});

test('when a document changes at the service, the order fails, a retry stages it again, and its old signature no longer counts', async () => {
  const [first, second] = await waiting('changed');
  const old = await signed(world, 'changed', first);
  await put('changed', first);
  const { generatedDocuments } = await orderAtService(world, 'changed');
  const document = generatedDocuments.find(({ fileId }) => fileId === first);
  if (!document) throw new Error('There is no document.');
  document.content = Buffer.from('%PDF-1.7 another amount');
  await put('changed', second);
  const failed = await toEnd('changed');
  expect(failed).toMatchObject({ waitingFor: 'operator', failure: { error: 'DocumentChanged' } });
  expect(failed.failure?.cause).toMatch(/document number [12] has changed at the order service/);
  const sent = (await uploads('changed')).map(
    ({ requestBody }) => requestBody?.kind === 'multipart' && requestBody.fields.fileId,
  );
  expect(sent).not.toContain(first);
  await world.startNext('changed');
  await world.until('changed', waitsForSignatures, { signing: false });
  expect(await world.staged('changed', `to-sign/${first}`)).toBe('%PDF-1.7 another amount');
  expect(await rejection(world, 'changed', first)).toContain('an earlier version of this document');
  await put('changed', first, old);
  expect(await rejection(world, 'changed', first)).toContain('an earlier version of this document');
  await put('changed', first, await signatureOf(document.content, signer));
  expect(await toEnd('changed')).toMatchObject({ status: 'CLOSED', generation: 2 });
});
