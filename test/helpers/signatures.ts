import { createHash } from 'node:crypto';
import { signatureKey } from '../../functions/shared/order/intake-key.ts';
import { makeSigner, type TestSigner } from '../../local/people/certificates.ts';
import { signDigest } from '../../local/people/partner-signer.ts';
import type { SimulatedOrder } from '../../simulator/index.ts';
import type { World } from './world.ts';

/** Who signs where a test does not say; made anew for every run. */
export const signer = makeSigner('p-256');

export const waitsForSignatures = ({ waitingFor }: { waitingFor: string }) => waitingFor === 'signatures';

/** A detached signature over these bytes. */
export async function signatureOf(content: Uint8Array, by: TestSigner = signer): Promise<Uint8Array> {
  return signDigest(by, createHash('sha256').update(content).digest());
}

/** The order as the service has it. */
export async function orderAtService(world: World, orderRef: string): Promise<SimulatedOrder> {
  const order = world.simulator.order((await world.record(orderRef))?.orderId ?? '');
  if (!order) throw new Error(`The service has no order ${orderRef}.`);
  return order;
}

/** A signature over the document as the service has it, staged or not. */
export async function signed(world: World, orderRef: string, fileId: string, by?: TestSigner): Promise<Uint8Array> {
  const { orderId } = await orderAtService(world, orderRef);
  return signatureOf(await world.simulator.content(orderId, fileId), by);
}

/** Uploads a signature to where `to-sign.json` says. */
export async function putSignature(
  world: World,
  orderRef: string,
  fileId: string,
  signature: string | Uint8Array,
): Promise<void> {
  await world.put(orderRef, signatureKey(orderRef, fileId).slice(`orders/${orderRef}/`.length), signature);
}

/** Submits nothing: lets time pass until the order waits for signatures, and answers for which files. */
export async function filesToSign(world: World, orderRef: string): Promise<string[]> {
  await world.until(orderRef, waitsForSignatures, { signing: false });
  const { documents } = await world.stagedJson<{ documents: { fileId: string }[] }>(orderRef, 'to-sign.json');
  return documents.map(({ fileId }) => fileId);
}

/** What the signer is told of a signature; undefined when nothing is wrong with it. */
export async function rejection(world: World, orderRef: string, fileId: string): Promise<string | undefined> {
  const page = await world.staged(orderRef, `signatures-rejected/${encodeURIComponent(fileId)}.json`);
  return page === undefined ? undefined : (JSON.parse(page) as { problem: string }).problem;
}
