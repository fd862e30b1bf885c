import { createHash, sign } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { createDetachedSignature } from '../../functions/shared/cms/create-signature.ts';
import type { LocalAws } from '../aws/index.ts';
import { makeSigner, type TestSigner } from './certificates.ts';

export interface SignerOptions {
  s3: S3Client;
  stagingBucket: string;
  /** Tells the signer of what is staged, as an event notification of the bucket would. */
  watch: LocalAws['watch'];
  /** Orders that somebody else signs. */
  leaves?: ReadonlySet<string>;
  onSigned(orderRef: string, documents: number): void;
  onError(error: Error): void;
}

interface ToSign {
  orderRef: string;
  round: number;
  signing: 'external' | 'kms';
  documents: { key: string; sha256: string; signature: string }[];
}

/** A detached CMS signature over a document, of which its SHA-256 is enough. */
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
 * Plays the partner's signer: is told of `to-sign.json` in staging, signs each document with a detached CMS signature under a
 * key made for this run, and uploads the signatures to where the page says. It knows only the two buckets, as a real one does.
 */
export class PartnerSigner {
  private readonly options: SignerOptions;
  private readonly signer = makeSigner('p-256', { commonName: 'Laptop signer' });
  /** Pages that have been signed, by key and content. */
  private readonly done = new Set<string>();
  /** Keys of pages that were staged and not yet looked at. */
  private readonly arrived = new Set<string>();
  private readonly stopWatching: () => void;
  private isAtWork = false;
  private looking: Promise<void> = Promise.resolve();

  constructor(options: SignerOptions) {
    this.options = options;
    this.stopWatching = options.watch((change) => {
      if (change.type !== 'object' || change.bucket !== options.stagingBucket) return;
      if (!change.key.endsWith('/to-sign.json')) return;
      this.arrived.add(change.key);
      if (this.isAtWork) this.lookSoon();
    });
  }

  /** Signs whatever is staged from now on, and what has been staged already. */
  start(): void {
    this.isAtWork = true;
    this.lookSoon();
  }

  async stop(): Promise<void> {
    this.isAtWork = false;
    this.stopWatching();
    await this.looking;
  }

  /** Has signed nothing, and been told of nothing. */
  forget(): void {
    this.done.clear();
    this.arrived.clear();
  }

  /** One look: signs whatever has not been signed yet. */
  async look(): Promise<void> {
    const failures: Error[] = [];
    for (const key of [...this.arrived]) {
      this.arrived.delete(key);
      await this.signPage(key).catch((error: Error) => {
        // The next look tries it again.
        this.arrived.add(key);
        failures.push(error);
      });
    }
    if (failures[0]) throw failures[0];
  }

  private lookSoon(): void {
    this.looking = this.looking.then(() => this.look()).catch(this.options.onError);
  }

  private async signPage(key: string): Promise<void> {
    const page = await this.read(key);
    const version = `${key} ${createHash('sha256').update(page).digest('hex')}`;
    if (this.done.has(version)) return;
    const { orderRef, signing, documents } = JSON.parse(page.toString('utf8')) as ToSign;
    if (signing === 'kms' || this.options.leaves?.has(orderRef)) return;
    for (const document of documents) await this.sign(document);
    this.done.add(version);
    this.options.onSigned(orderRef, documents.length);
  }

  private async sign({ key, sha256, signature }: ToSign['documents'][number]): Promise<void> {
    const document = await this.read(key);
    const digest = createHash('sha256').update(document).digest();
    if (digest.toString('hex') !== sha256) throw new Error(`${key} does not have the SHA-256 that to-sign.json gives.`);
    const Body = await signDigest(this.signer, digest);
    const { hostname, pathname } = new URL(signature);
    const Key = signature.slice(`s3://${hostname}/`.length);
    if (!pathname) throw new Error(`${signature} is no S3 address.`);
    await this.options.s3.send(new PutObjectCommand({ Bucket: hostname, Key, Body }));
  }

  private async read(Key: string): Promise<Buffer> {
    const { s3, stagingBucket: Bucket } = this.options;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }
}
