import { createHash, sign } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { createDetachedSignature } from '../functions/shared/cms-signature.ts';
import { makeSigner, type TestSigner } from './certificates.ts';

export interface SignerOptions {
  s3: S3Client;
  stagingBucket: string;
  /** Milliseconds between two looks into staging. */
  interval: number;
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
    ...{ digest, digestAlgorithm: 'sha256', certificates: [certificate], keyType, signingTime: new Date() },
    sign: async (data) => sign('sha256', data, privateKey),
  });
}

/**
 * Plays the partner's signer: looks for `to-sign.json` in staging, signs each document with a detached CMS signature under a
 * key made for this run, and uploads the signatures to where the page says. It knows only the two buckets, as a real one does.
 */
export class PartnerSigner {
  private readonly options: SignerOptions;
  private readonly signer = makeSigner('p-256', { commonName: 'Laptop signer' });
  private readonly done = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();

  constructor(options: SignerOptions) {
    this.options = options;
  }

  start(): void {
    this.timer = setInterval(() => {
      this.looking = this.looking.then(() => this.look()).catch(this.options.onError);
    }, this.options.interval);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** One look: signs whatever has not been signed yet. */
  async look(): Promise<void> {
    const { s3, stagingBucket: Bucket } = this.options;
    const objects = paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: 'orders/' });
    const pages = (await Array.fromAsync(objects)).flatMap(({ Contents = [] }) => Contents);
    for (const { Key, ETag } of pages) {
      if (!Key?.endsWith('/to-sign.json') || this.done.has(`${Key} ${ETag}`)) continue;
      await this.signPage(Key);
      this.done.add(`${Key} ${ETag}`);
    }
  }

  private async signPage(key: string): Promise<void> {
    const { orderRef, signing, documents } = JSON.parse((await this.read(key)).toString('utf8')) as ToSign;
    if (signing === 'kms' || this.options.leaves?.has(orderRef)) return;
    for (const document of documents) await this.sign(document);
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
