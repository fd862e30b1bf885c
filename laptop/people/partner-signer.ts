import { createHash, sign } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { makeSigner, type TestSigner } from '@business-loan-orders/detached-signatures/certificates';
import { createDetachedSignature } from '@business-loan-orders/detached-signatures/create-signature';
import { makeGostSigner, signWithGost } from '@business-loan-orders/detached-signatures/gost-certificates';
import type { LocalAws } from '@business-loan-orders/embedded-aws';

export interface SignerOptions {
  s3: S3Client;
  stagingBucket: string;
  /** Reports staged objects, like an event notification of the bucket. */
  watch: LocalAws['watch'];
  onSigned(orderRef: string, documents: number): void;
  onError(error: Error): void;
}

interface ToSign {
  orderRef: string;
  round: number;
  signing: 'external' | 'kms';
  documents: { key: string; sha256: string; signature: string }[];
}

/** A detached CMS signature over a document, made from the document's SHA-256. */
export async function signDigest(signer: TestSigner, digest: Uint8Array): Promise<Uint8Array> {
  const { certificate, privateKey, keyType } = signer;
  return createDetachedSignature({
    digest,
    digestAlgorithm: 'sha256',
    certificates: [certificate],
    keyType,
    signingTime: new Date(),
    sign: async (data) => sign('sha256', data, privateKey),
  });
}

/**
 * Plays the partner's signer. For each `to-sign.json` in staging, it signs the documents with detached CMS signatures and uploads
 * them to the addresses in the page. Its keys are made for this run. An order with `signer: "gost"` in its data is signed with GOST R
 * 34.10-2012, one with `signer: "person"` is left to a person. Like a real signer, it uses only the two buckets.
 */
export class PartnerSigner {
  readonly #options: SignerOptions;
  readonly #signer = makeSigner('p-256', { commonName: 'Laptop signer' });
  #gostSigner: ReturnType<typeof makeGostSigner> | undefined;
  /** The pages that have been signed, by key and content. */
  readonly #done = new Set<string>();
  readonly #arrived = new Set<string>();
  readonly #stopWatching: () => void;
  #isAtWork = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: SignerOptions) {
    this.#options = options;
    this.#stopWatching = options.watch((change) => {
      if (change.type !== 'object' || change.bucket !== options.stagingBucket) return;
      if (!change.key.endsWith('/to-sign.json')) return;
      this.#arrived.add(change.key);
      if (this.#isAtWork) this.#lookSoon();
    });
  }

  /** Starts to sign staged pages, present and future ones. */
  start(): void {
    this.#isAtWork = true;
    this.#lookSoon();
  }

  async stop(): Promise<void> {
    this.#isAtWork = false;
    this.#stopWatching();
    await this.#looking;
  }

  forget(): void {
    this.#done.clear();
    this.#arrived.clear();
  }

  /** Signs the pages that have arrived since the last poll. Failed ones are retried at the next poll. */
  async look(): Promise<void> {
    const keys = [...this.#arrived];
    this.#arrived.clear();
    let failure: Error | undefined;
    for (const key of keys) {
      await this.#signPage(key).catch((error: Error) => {
        this.#arrived.add(key);
        failure ??= error;
      });
    }
    if (failure) throw failure;
  }

  #lookSoon(): void {
    this.#looking = this.#looking.then(() => this.look()).catch(this.#options.onError);
  }

  async #signPage(key: string): Promise<void> {
    const page = await this.#read(key);
    const version = `${key} ${page}`;
    if (this.#done.has(version)) return;
    const { orderRef, signing, documents } = JSON.parse(page.toString('utf8')) as ToSign;
    if (signing === 'kms') return;
    const signer = await this.#signerOf(documents[0]?.signature ?? '');
    if (signer === 'person') return;
    for (const document of documents) await this.#sign(document, signer === 'gost');
    this.#done.add(version);
    this.#options.onSigned(orderRef, documents.length);
  }

  async #signerOf(signature: string): Promise<unknown> {
    const [, bucket, folder] = /^s3:\/\/([^/]+)\/(orders\/[^/]+)\//.exec(signature) ?? [];
    if (folder === undefined) return undefined;
    const { order } = JSON.parse(new TextDecoder().decode(await this.#read(`${folder}/order.json`, bucket)));
    return order?.signer;
  }

  async #sign({ key, sha256, signature }: ToSign['documents'][number], isGost: boolean): Promise<void> {
    const content = await this.#read(key);
    const digest = createHash('sha256').update(content).digest();
    if (digest.toString('hex') !== sha256) throw new Error(`${key} does not have the SHA-256 that to-sign.json gives.`);
    const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(signature) ?? [];
    if (Key === undefined) throw new Error(`${signature} is not an S3 address.`);
    if (isGost) this.#gostSigner ??= makeGostSigner('streebog256', { commonName: 'Laptop signer' });
    const Body =
      this.#gostSigner && isGost
        ? await signWithGost(this.#gostSigner, content)
        : await signDigest(this.#signer, digest);
    await this.#options.s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  }

  async #read(Key: string, Bucket = this.#options.stagingBucket): Promise<Buffer> {
    const { s3 } = this.#options;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }
}
