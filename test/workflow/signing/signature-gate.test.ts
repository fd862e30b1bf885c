import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import { expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { asUnknown } from '../../../packages/detached-signatures/test/helpers/cms.ts';
import { asBer } from '../../../packages/detached-signatures/test/helpers/signature-tree.ts';
import { accepting, signing } from '../../helpers/faults.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
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
} from '../../helpers/signatures.ts';
import { DAY, waitsForSignatures } from '../../helpers/world.ts';

const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 2 } });

// The clock of a shared world may be anywhere. A test needs one that is far from the machine's.
if (Math.abs(world.clock.now() - Date.now()) < 90 * DAY) world.clock.advanceTo(Date.now() + 120 * DAY);

const toEnd = (orderRef: string) => world.untilEnd(orderRef, { signing: false });
const uploads = (orderRef: string) => world.calls(orderRef, signing);

async function put(orderRef: string, fileId: string, signature?: string | Uint8Array): Promise<void> {
  await putSignature(world, orderRef, fileId, signature ?? (await signed(world, orderRef, fileId)));
  await world.aws.settle();
}

async function expectWaitsWithNothingSent(): Promise<void> {
  expect(await world.record('gate')).toMatchObject({ waitingFor: 'signatures', generation: 1 });
  expect(await uploads('gate')).toEqual([]);
}

test('wrong signatures are rejected whenever they come, none of them is sent, and the order goes on with good ones', async () => {
  const [first, second] = await comeEarly();
  await comeOfGost(first, second);
  const earlier = await signed(world, 'gate', first);
  await comeBad(first, earlier);
  await comeInSecondRound(first, earlier);
});

async function comeEarly(): Promise<[string, string]> {
  await world.submit('gate', { scenario: 'second-signing-round' });
  const { orderId = '' } = await world.until('gate', (order) => order.orderId !== undefined);
  const { generatedDocuments } = await world.untilAtService(orderId, (order) => order.generatedDocuments.length > 0);
  const [first = '', second = ''] = generatedDocuments.map(({ fileId }) => fileId);
  await put('gate', first, await signed(world, 'gate', second));
  expect(await rejection(world, 'gate', first)).toBeUndefined();
  await world.until('gate', waitsForSignatures, { signing: false });
  expect(await rejection(world, 'gate', first)).toContain(`It is the signature of the document ${second}.`);
  await expectWaitsWithNothingSent();
  return [first, second];
}

async function comeOfGost(first: string, second: string): Promise<void> {
  await put('gate', second, await signedByGost(world, 'gate', first));
  expect(await rejection(world, 'gate', second)).toContain(`It is the signature of the document ${first}.`);
  expect(await world.told('gate', 'A signature was rejected')).toMatchObject([{ document: expect.any(Number) }]);
  expect(await world.told('gate', 'A signature arrived')).toEqual([]);
  const binary = Buffer.from(await signedByGost(world, 'gate', second));
  await put('gate', second, binary.toString('base64'));
  expect(await rejection(world, 'gate', second)).toBeUndefined();
  await expectWaitsWithNothingSent();
}

async function comeBad(first: string, good: Uint8Array): Promise<void> {
  // The certificate is judged by the world's clock, not the machine's.
  expect(Math.abs(world.clock.now() - Date.now())).toBeGreaterThan(60 * DAY);
  const dated = (from: number, to: number) => {
    const [notBefore, notAfter] = [from, to].map((days) => new Date(world.clock.now() + days * DAY));
    return makeSigner('p-256', { validity: { notBefore: notBefore as Date, notAfter: notAfter as Date } });
  };
  const cases: [string | Uint8Array, string][] = [
    ['bytes', 'It cannot be read as CMS SignedData'],
    [Buffer.alloc(4 * 1024 * 1024 + 1), 'It has 4194305 bytes'],
    [await signed(world, 'gate', first, dated(-30, -1)), 'it expired at'],
    [asUnknown(good), 'cannot be checked here'],
  ];
  for (const [signature, problem] of cases) {
    await put('gate', first, signature);
    expect(await rejection(world, 'gate', first)).toContain(problem);
    await expectWaitsWithNothingSent();
  }
  await put('gate', first, asBer(await signed(world, 'gate', first, dated(-1, 30))));
  expect(await rejection(world, 'gate', first)).toBeUndefined();
  const inSecondRound = (order: OrderItem) => order.rounds?.signatures?.number === 2 && waitsForSignatures(order);
  await world.until('gate', inSecondRound, { signing: false });
  const { signatures } = await orderAtService(world, 'gate');
  // The one in Base64 was sent as DER.
  expect(signatures.map(({ kind }) => kind)).toEqual(['cms-valid', 'cms-valid']);
  expect(await world.told('gate', 'A signature is passed on unchecked')).toEqual([]);
}

/** A signature of an earlier round is rejected. A bad one that replaces a good one after the last has arrived is not sent. */
async function comeInSecondRound(first: string, earlier: Uint8Array): Promise<void> {
  const [third = '', fourth = ''] = await filesToSign(world, 'gate');
  await put('gate', third, earlier);
  expect(await rejection(world, 'gate', third)).toContain(`an earlier version of the document ${first}`);
  beforeUpload(world, () => putSignature(world, 'gate', fourth, 'bytes'));
  const readAt = (await world.record('gate'))?.notBefore.readAt;
  await put('gate', third);
  await put('gate', fourth);
  const again = (order: OrderItem) => order.notBefore.readAt !== readAt && waitsForSignatures(order);
  const order = await world.until('gate', again, { signing: false });
  expect(order).toMatchObject({ status: 'WAITING_FOR_SIGNATURE', generation: 1 });
  expect(order.failure).toBeUndefined();
  expect(await rejection(world, 'gate', fourth)).toContain('It cannot be read');
  await put('gate', fourth);
  expect(await toEnd('gate')).toMatchObject({ status: 'CLOSED', generation: 1 });
  const sent = (await uploads('gate')).map(({ requestBody }) => JSON.stringify(requestBody));
  expect([sent.length, new Set(sent).size]).toEqual([4, 4]);
  expect(await world.calls('gate', accepting)).toHaveLength(3);
}

test('a signature of a document of another order that waits is refused with the reference of that order', async () => {
  for (const orderRef of ['one', 'two']) await world.submitToSign(orderRef);
  const [[one = ''], [two = '']] = [await filesToSign(world, 'one'), await filesToSign(world, 'two')];
  await put('two', two, await signed(world, 'one', one));
  expect(await rejection(world, 'two', two)).toContain('It is the signature of a document of order one. Download');
});

test('when a document changes at the service, the order fails, a retry stages it again, and its old signature no longer counts', async () => {
  await world.submit('changed');
  const [first = '', second = ''] = await filesToSign(world, 'changed');
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
