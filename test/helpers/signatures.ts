import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { makeSigner, type TestSigner } from '@business-loan-orders/detached-signatures/certificates';
import { createDetachedSignature } from '@business-loan-orders/detached-signatures/create-signature';
import { digestOf } from '@business-loan-orders/detached-signatures/digest';
import { gostSign, makeGostSigner } from '@business-loan-orders/detached-signatures/gost-certificates';
import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { signatureKey } from '../../core/package/intake-key.ts';
import { signDigest } from '../../laptop/people/partner-signer.ts';
import { type World, waitsForSignatures } from './world.ts';

export const signer = makeSigner('p-256');

export async function signatureOf(content: Uint8Array, by: TestSigner = signer): Promise<Uint8Array> {
  return signDigest(by, createHash('sha256').update(content).digest());
}

export async function orderAtService(world: World, orderRef: string): Promise<SimulatedOrder> {
  const order = world.simulator.order((await world.record(orderRef))?.orderId ?? '');
  if (!order) throw new Error(`The service has no order ${orderRef}.`);
  return order;
}

/** A signature of the document as the service has it, staged or not. */
export async function signed(world: World, orderRef: string, fileId: string, by?: TestSigner): Promise<Uint8Array> {
  const { orderId } = await orderAtService(world, orderRef);
  return signatureOf(await world.simulator.content(orderId, fileId), by);
}

const gostSigner = makeGostSigner('streebog256');

export async function signedByGost(world: World, orderRef: string, fileId: string): Promise<Uint8Array> {
  const { orderId } = await orderAtService(world, orderRef);
  const content = await world.simulator.content(orderId, fileId);
  return createDetachedSignature({
    digest: await digestOf(Readable.from([content]), 'streebog256'),
    digestAlgorithm: 'streebog256',
    certificates: [gostSigner.certificate],
    keyType: 'gost',
    sign: async (data) => gostSign(gostSigner.key, data),
    signingTime: new Date(),
  });
}

export async function putSignature(
  world: World,
  orderRef: string,
  fileId: string,
  signature: string | Uint8Array,
): Promise<void> {
  await world.put(orderRef, signatureKey(orderRef, fileId).slice(`orders/${orderRef}/`.length), signature);
}

/** Does something just before the first run of `upload-signature`. Nothing is to settle in it: that run is under way. */
export function beforeUpload({ wrappers }: World, act: () => Promise<void>): void {
  wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (functionName.endsWith('upload-signature')) {
      wrappers.invokeWrapper = undefined;
      await act();
    }
    return invoke();
  };
}

export async function submitAndAbort(world: World, orderRef: string): Promise<string> {
  await world.submitToSign(orderRef);
  await world.abort(orderRef);
  return (await world.untilEnd(orderRef, { signing: false })).orderId ?? '';
}

export async function filesToSign(world: World, orderRef: string): Promise<string[]> {
  await world.until(orderRef, waitsForSignatures, { signing: false });
  return (await world.documentsToSign(orderRef)).map(({ fileId }) => fileId);
}

export async function rejection(world: World, orderRef: string, fileId: string): Promise<string | undefined> {
  const page = await world.staged(orderRef, `signatures-rejected/${encodeURIComponent(fileId)}.json`);
  return page === undefined ? undefined : (JSON.parse(page) as { problem: string }).problem;
}
