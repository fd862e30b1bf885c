import type { Exchange } from '../protocol/call.ts';
import type { Bucket } from './bucket.ts';
import { listObjectsV2, listObjectVersions } from './list-operations.ts';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  listMultipartUploads,
  listParts,
  uploadPart,
} from './multipart-operations.ts';
import { deleteObject, getObject, putObject, type S3Context } from './object-operations.ts';
import { postObject } from './post-object.ts';
import { type CheckRight, checkKey, checkVersion, header, operationOf, parseTarget, type S3Call } from './request.ts';
import { noSuchBucket, notImplemented } from './s3-error.ts';
import { sendXml } from './xml.ts';

/** S3 with path-style addresses. It gets the requests that belong to no other service. */
export class S3Service {
  readonly #context: S3Context;

  constructor(context: S3Context) {
    this.#context = context;
  }

  addBucket(bucket: Bucket): void {
    this.#context.buckets.set(bucket.name, bucket);
  }

  async forget(): Promise<void> {
    for (const bucket of this.#context.buckets.values()) await bucket.forget();
  }

  /** Whether the given version exists, or the key has a current one. */
  holds(bucketName: string, key: string, versionId?: string): boolean {
    const bucket = this.#context.buckets.get(bucketName);
    return (versionId === undefined ? bucket?.current(key) : bucket?.find(key, versionId)) !== undefined;
  }

  async serve(exchange: Exchange, checkRight: CheckRight): Promise<void> {
    const { bucket: name, key = '', query } = parseTarget(exchange.request.url ?? '/');
    checkKey(key);
    checkVersion(query);
    if (name === undefined) throw notImplemented(`${exchange.request.method} / without an X-Amz-Target`);
    const bucket = this.#context.buckets.get(name);
    if (!bucket) throw noSuchBucket();
    await this.#route({ ...exchange, bucket, key, query, checkRight });
  }

  #route(call: S3Call): void | Promise<void> {
    const wanted = operationOf(call.request, call);
    const operation = call.key ? this.#objectOperation(wanted, call) : this.#bucketOperation(wanted, call);
    if (operation === undefined) throw notImplemented(`${wanted} of S3`);
    return operation();
  }

  #objectOperation(wanted: string, call: S3Call): (() => void | Promise<void>) | undefined {
    const context = this.#context;
    const isPart = call.query.has('uploadId');
    if (header(call.request, 'x-amz-copy-source') !== undefined) throw notImplemented('copying an object');
    if (!isPart && call.query.has('partNumber')) throw notImplemented('reading an object by its partNumber');
    const operations: Record<string, () => void | Promise<void>> = {
      'GET object': () => (isPart ? listParts(call) : getObject(context, call)),
      'HEAD object': () => getObject(context, call),
      'PUT object': () => (isPart ? uploadPart(context, call) : putObject(context, call)),
      'DELETE object': () => (isPart ? abortMultipartUpload(context, call) : deleteObject(context, call)),
      'POST object?uploads': () => createMultipartUpload(context, call),
      ...(isPart ? { 'POST object': () => completeMultipartUpload(context, call) } : {}),
    };
    return operations[wanted];
  }

  #bucketOperation(wanted: string, call: S3Call): (() => void | Promise<void>) | undefined {
    return wanted === 'POST bucket' ? () => postObject(this.#context, call) : bucketOperation(wanted, call);
  }
}

function getVersioning({ response, bucket }: S3Call): void {
  sendXml(response, 200, 'VersioningConfiguration', bucket.isVersioned ? { Status: 'Enabled' } : {});
}

function getNotification({ response, bucket }: S3Call): void {
  sendXml(response, 200, 'NotificationConfiguration', bucket.sendsEvents ? { EventBridgeConfiguration: '' } : {});
}

function bucketOperation(wanted: string, call: S3Call): (() => void | Promise<void>) | undefined {
  const { response, query } = call;
  const operations: Record<string, () => void | Promise<void>> = {
    'HEAD bucket': () => void response.writeHead(200).end(),
    ...(query.get('list-type') === '2' && { 'GET bucket': () => listObjectsV2(call) }),
    'GET bucket?versions': () => listObjectVersions(call),
    'GET bucket?uploads': () => listMultipartUploads(call),
    'GET bucket?versioning': () => getVersioning(call),
    'GET bucket?notification': () => getNotification(call),
  };
  return operations[wanted];
}
