import type { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { fittingKey } from '../../core/aws/object-key.ts';
import { NOT_MET } from '../../core/aws/storage.ts';
import { intakePart, isOrderRef } from '../../core/package/intake-key.ts';
import { SDK_TRANSFER } from '../../core/timeouts.ts';
import { ignoring } from './failure.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { type Outputs, stackOutputs } from './stack-outputs.ts';

export interface IntakeFile {
  versionId: string;
  etag: string;
  /** Undefined if it is larger than the given limit. */
  text: string | undefined;
}

/** An `order.json` or a document in intake. */
export interface StoredUpload {
  orderRef: string;
  /** Its path in the package. Absent for an `order.json`. */
  document?: string;
  key: string;
  storedAt: Date;
}

/** A stage's two buckets from the partner's view: reads staging, writes intake. */
export class Buckets {
  readonly staging: string;
  readonly intake: string;
  readonly client: S3Client;

  constructor(client: S3Client, names: { staging: string; intake: string }) {
    this.client = client;
    this.staging = names.staging;
    this.intake = names.intake;
  }

  async staged<Value>(orderRef: string, name: string): Promise<Value | undefined> {
    return this.stagedAt(fittingKey(`orders/${orderRef}/${name}`));
  }

  async stagedAt<Value>(Key: string): Promise<Value | undefined> {
    return (await this.stagedVersion<Value>(Key))?.value;
  }

  /** The staged JSON file with this key, in the current or an older version; undefined if it is gone. */
  async stagedVersion<Value>(Key: string, VersionId?: string): Promise<{ value: Value; version: string } | undefined> {
    const found = await this.#find({ Bucket: this.staging, Key, ...(VersionId !== undefined && { VersionId }) });
    if (!found?.Body) return undefined;
    return { value: JSON.parse(await found.Body.transformToString()) as Value, version: found.VersionId ?? '' };
  }

  /** The sorted names of an order's staged files with this prefix. */
  async stagedNames(orderRef: string, prefix: string): Promise<string[]> {
    const folder = `orders/${orderRef}/`;
    const search = { Bucket: this.staging, Prefix: folder + prefix };
    const names: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.client }, search))
      names.push(...Contents.map(({ Key = '' }) => Key.slice(folder.length)));
    return names.sort();
  }

  /** One version of a staged file as a stream, or undefined when it is gone. */
  async openStaged(Key: string, VersionId: string): Promise<Readable | undefined> {
    return this.open('staging', Key, VersionId);
  }

  /** One version of a file as a stream, or undefined when it is gone. */
  async open(bucket: 'intake' | 'staging', Key: string, VersionId?: string): Promise<Readable | undefined> {
    return (await this.#find({ Bucket: this[bucket], Key, ...(VersionId !== undefined && { VersionId }) }))?.Body as
      | Readable
      | undefined;
  }

  async putIntake(Key: string, Body: Uint8Array | string, ContentType: string): Promise<void> {
    await this.client.send(new PutObjectCommand({ Bucket: this.intake, Key, Body, ContentType }));
  }

  async intakeFile(Key: string, limit: number): Promise<IntakeFile | undefined> {
    const found = await this.#find({ Bucket: this.intake, Key });
    if (!found) return undefined;
    const { Body, ContentLength = 0, VersionId = '', ETag = '' } = found;
    const isLarge = ContentLength > limit;
    if (isLarge) (Body as Readable).destroy();
    return { versionId: VersionId, etag: ETag, text: isLarge ? undefined : await Body?.transformToString() };
  }

  /** Of one order, or of all. */
  async *uploads(orderRef?: string): AsyncGenerator<StoredUpload[]> {
    const search = { Bucket: this.intake, Prefix: orderRef === undefined ? 'orders/' : `orders/${orderRef}/` };
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.client }, search)) {
      yield Contents.flatMap(({ Key: key = '', LastModified: storedAt = new Date() }) => {
        const part = intakePart(key);
        if ((part?.part !== 'package' && part?.part !== 'document') || !isOrderRef(part.folder)) return [];
        const document = part.part === 'document' && { document: part.file };
        return [{ orderRef: part.folder, ...document, key, storedAt }];
      });
    }
  }

  /** Uploads a small file to intake if the current file has this ETag, or there is none. Returns whether it was uploaded. */
  async putIntakeIf(Key: string, Body: Uint8Array | string, ContentType: string, etag?: string): Promise<boolean> {
    const condition = etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag };
    const put = new PutObjectCommand({ Bucket: this.intake, Key, Body, ContentType, ...condition });
    return (await this.client.send(put).catch(ignoring(({ name }) => NOT_MET.includes(name)))) !== undefined;
  }

  #find(object: { Bucket: string; Key: string; VersionId?: string }) {
    const isGone = ({ name }: Error) => name === 'NoSuchKey' || name === 'NoSuchVersion';
    return this.client.send(new GetObjectCommand(object)).catch(ignoring(isGone));
  }
}

/** @throws Refusal when the stage is not deployed there. */
export async function openBuckets(options: PlaceOptions, outputs?: Outputs): Promise<Buckets> {
  const output = outputs ?? (await stackOutputs(options));
  // S3's own checksum is not needed: we compare the document's SHA-256.
  const settings = {
    ...clientSettings(options),
    requestHandler: SDK_TRANSFER,
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
  const client = new S3Client(settings as ConstructorParameters<typeof S3Client>[0] & object);
  return new Buckets(client, { staging: output('StagingBucket'), intake: output('IntakeBucket') });
}
