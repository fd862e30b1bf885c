import type { IncomingMessage } from 'node:http';
import { header, operationOf, parseTarget, type S3Target } from '../s3/request.ts';
import type { S3Service } from '../s3/service.ts';
import type { NeededRight } from './policy.ts';

const ACTIONS: Record<string, (query: URLSearchParams) => string> = {
  'GET object': (query) => (query.has('uploadId') ? 's3:ListMultipartUploadParts' : readAction(query)),
  'HEAD object': (query) => readAction(query),
  'PUT object': () => 's3:PutObject',
  'POST object?uploads': () => 's3:PutObject',
  'POST object': () => 's3:PutObject',
  'DELETE object': (query) => {
    if (query.has('uploadId')) return 's3:AbortMultipartUpload';
    return query.has('versionId') ? 's3:DeleteObjectVersion' : 's3:DeleteObject';
  },
  'GET bucket': () => 's3:ListBucket',
  'HEAD bucket': () => 's3:ListBucket',
  'GET bucket?versions': () => 's3:ListBucketVersions',
  'GET bucket?uploads': () => 's3:ListBucketMultipartUploads',
  'GET bucket?versioning': () => 's3:GetBucketVersioning',
  'GET bucket?notification': () => 's3:GetBucketNotification',
};

function readAction(query: URLSearchParams): string {
  return query.has('versionId') ? 's3:GetObjectVersion' : 's3:GetObject';
}

/** The permissions that an S3 request needs. Throws an AwsError (InvalidURI) if the URL cannot be decoded. */
export function rightsOfS3Request(s3: S3Service, request: IncomingMessage): NeededRight[] {
  const target = parseTarget(request.url ?? '/');
  const bucketArn = `arn:aws:s3:::${target.bucket ?? ''}`;
  const resource = target.key === undefined ? bucketArn : `${bucketArn}/${target.key}`;
  const found = s3.find(target);
  // The bytes of an object, not its HEAD, need the key that its upload named, in place of the bucket's.
  const key = request.method === 'GET' ? found?.headers['x-amz-server-side-encryption-aws-kms-key-id'] : undefined;
  const needed = { action: actionOf(request, target), resource, ...(key !== undefined && { key }) };
  // An upload with an ACL needs both.
  if (header(request, 'x-amz-acl') !== undefined) return [needed, { action: 's3:PutObjectAcl', resource }];
  // Without the right to list the bucket, S3 answers 403 for a missing object, not 404.
  return !found && needed.action.startsWith('s3:GetObject')
    ? [needed, { action: 's3:ListBucket', resource: bucketArn }]
    : [needed];
}

/** For an unknown operation, returns an action that no policy allows, so the request is refused. */
function actionOf(request: IncomingMessage, target: S3Target): string {
  const operation = operationOf(request, target);
  // Copies are not supported: they also need permission for the source.
  const isCopy = header(request, 'x-amz-copy-source') !== undefined;
  return (isCopy ? undefined : ACTIONS[operation]?.(target.query)) ?? `s3:${isCopy ? 'copy by ' : ''}${operation}`;
}
