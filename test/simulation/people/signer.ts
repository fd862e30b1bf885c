import { createHash } from 'node:crypto';
import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3';
import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { signatureKey } from '../../../core/package/intake-key.ts';
import { signDigest } from '../../../laptop/people/partner-signer.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';

interface Page {
  documents: { fileId: string; key: string; sha256: string }[];
}

/** The partner's signer. It signs a document whenever another version of it is staged, and some versions a second time. */
export class Signer {
  readonly #world: SimulatedWorld;
  readonly #signer = makeSigner('p-256', { commonName: 'Simulated signer' });
  /** The digest of the version that was signed last, by orderRef and fileId. */
  readonly #newest = new Map<string, Buffer>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  async signStaged(plan: OrderPlan): Promise<void> {
    const page = await this.#read(`orders/${plan.orderRef}/to-sign.json`);
    if (!page) return;
    const { documents } = JSON.parse(page.toString()) as Page;
    for (const { fileId, key, sha256 } of documents) {
      const document = await this.#read(key);
      const digest = document && createHash('sha256').update(document).digest();
      // A newer version was staged meanwhile. A newer page follows.
      if (digest?.toString('hex') === sha256) await this.#sign(plan, fileId, digest);
    }
  }

  /** Signs the documents that the service shows, before they are staged. */
  async signShown(plan: OrderPlan, { orderId, generatedDocuments }: SimulatedOrder): Promise<void> {
    const round = generatedDocuments.at(-1)?.round;
    for (const { fileId } of generatedDocuments.filter((document) => document.round === round)) {
      const document = await this.#world.simulator.content(orderId, fileId);
      await this.#sign(plan, fileId, createHash('sha256').update(document).digest());
    }
  }

  async #sign(plan: OrderPlan, fileId: string, digest: Buffer): Promise<void> {
    const document = `${plan.orderRef} ${fileId}`;
    // An older version may be staged after a newer one was signed. Then the signature in intake is of the wrong version.
    if (this.#newest.get(document)?.equals(digest)) return;
    this.#newest.set(document, digest);
    await this.#putSignature(plan, fileId, digest);
    const { replacedAfter } = plan.signing;
    if (replacedAfter === undefined) return;
    // The service may have replaced the document since. Nobody replaces the new version's signature by one of the old version.
    this.#world.schedule.later(replacedAfter, () =>
      this.#putSignature(plan, fileId, this.#newest.get(document) ?? digest),
    );
  }

  async #putSignature({ orderRef }: OrderPlan, fileId: string, digest: Buffer): Promise<void> {
    const { uploads, schedule } = this.#world;
    const signature = await signDigest(this.#signer, digest);
    const { signatures } = uploads.acts(orderRef);
    const sha256 = createHash('sha256').update(signature).digest('hex');
    signatures.set(fileId, [...(signatures.get(fileId) ?? []), { sha256, at: schedule.now() }]);
    await uploads.put(orderRef, signatureKey(orderRef, fileId).slice(`orders/${orderRef}/`.length), signature);
  }

  /** A staged file; undefined if it is not there, because AWS failed when it was staged. */
  async #read(Key: string): Promise<Buffer | undefined> {
    const { s3, outputs } = this.#world;
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: outputs.StagingBucket, Key }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }
}
