import type { Exchange } from '../protocol/call.ts';
import type { Bucket, ObjectVersion } from './bucket.ts';
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
import { sendS3Xml } from './xml.ts';

export type S3Service = ReturnType<typeof createS3>;

/** S3 with path-style addresses. It receives the requests that no other service matches. */
export function createS3(context: S3Context) {
  const { buckets } = context;
  return {
    addBucket: (bucket: Bucket): void => void buckets.set(bucket.name, bucket),
    forget: async (): Promise<void> => {
      for (const bucket of buckets.values()) await bucket.forget();
    },
    /** The given version, or the current one. */
    find: ({ bucket: name = '', key = '', query }: ReturnType<typeof parseTarget>): ObjectVersion | undefined => {
      const [bucket, versionId] = [buckets.get(name), query.get('versionId')];
      return versionId === null ? bucket?.current(key) : bucket?.find(key, versionId);
    },
    serve: async (exchange: Exchange, checkRight: CheckRight): Promise<void> => {
      const { bucket: name, key = '', query } = parseTarget(exchange.request.url ?? '/');
      checkKey(key);
      checkVersion(query);
      if (name === undefined) throw notImplemented(`${exchange.request.method} / without an X-Amz-Target`);
      const bucket = buckets.get(name);
      if (!bucket) throw noSuchBucket();
      const call = { ...exchange, bucket, key, query, checkRight };
      const wanted = operationOf(call.request, call);
      const operation = (key ? objectOperations(context, call) : bucketOperations(context, call))[wanted];
      if (operation === undefined) throw notImplemented(`${wanted} of S3`);
      await operation();
    },
  };
}

/** Operations by the names that `operationOf` returns. */
type Wanted = Record<string, () => void | Promise<void>>;

function objectOperations(context: S3Context, call: S3Call): Wanted {
  const isPart = call.query.has('uploadId');
  if (header(call.request, 'x-amz-copy-source') !== undefined) throw notImplemented('copying an object');
  if (!isPart && call.query.has('partNumber')) throw notImplemented('reading an object by its partNumber');
  return {
    'GET object': () => (isPart ? listParts(call) : getObject(context, call)),
    'HEAD object': () => getObject(context, call),
    'PUT object': () => (isPart ? uploadPart(context, call) : putObject(context, call)),
    'DELETE object': () => (isPart ? abortMultipartUpload(context, call) : deleteObject(context, call)),
    'POST object?uploads': () => createMultipartUpload(context, call),
    ...(isPart && { 'POST object': () => completeMultipartUpload(context, call) }),
  };
}

function bucketOperations(context: S3Context, call: S3Call): Wanted {
  const { response, query, bucket } = call;
  const versioning = bucket.isVersioned ? { Status: 'Enabled' } : {};
  const notification = bucket.sendsEvents ? { EventBridgeConfiguration: '' } : {};
  return {
    'POST bucket': () => postObject(context, call),
    'HEAD bucket': () => void response.writeHead(200).end(),
    ...(query.get('list-type') === '2' && { 'GET bucket': () => listObjectsV2(call) }),
    'GET bucket?versions': () => listObjectVersions(call),
    'GET bucket?uploads': () => listMultipartUploads(call),
    'GET bucket?versioning': () => sendS3Xml(response, 200, 'VersioningConfiguration', versioning),
    'GET bucket?notification': () => sendS3Xml(response, 200, 'NotificationConfiguration', notification),
  };
}
