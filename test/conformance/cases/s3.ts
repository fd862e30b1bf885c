import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  type DeleteObjectCommandOutput,
  GetBucketNotificationConfigurationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { breaks, casesOf, moto, type Scope, unchecked } from '../case.ts';

const S3 = 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_{operation}.html';
const { accepts, answers, refuses } = casesOf(S3Client, S3, ({ bucket }) => ({ Bucket: bucket }));
const CONDITIONS = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html';
const KEYS = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html';
const ERRORS = 'https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html';
/** The MD5 of `one`. */
const ONE = '"f97c5d29941bfb1b2fdab0874906ab82"';
const keys = ({ Contents = [] }: { Contents?: { Key?: string | undefined }[] | undefined }) => Contents.map(({ Key }) => Key).join(' ');
const object = { Key: 'list/one.txt' };
const version =
  (name: string) =>
  ({ [name]: VersionId }: Scope) => ({ ...object, VersionId });
const content = ({ Body }: GetObjectCommandOutput) => Body?.transformToString();
const range = async ({ Body, ContentRange }: GetObjectCommandOutput) => [await Body?.transformToString(), ContentRange];
const page = ({ IsTruncated, ...rest }: ListObjectsV2CommandOutput) => [IsTruncated, keys(rest)];
const latest = ({ NextKeyMarker, Versions = [] }: ListObjectVersionsCommandOutput) => [NextKeyMarker, Versions.map(({ IsLatest }) => IsLatest)];
const isMarker = ({ DeleteMarker }: DeleteObjectCommandOutput) => DeleteMarker;

const put = [
  answers('an object', PutObjectCommand, { ...object, Body: 'one', Metadata: { note: 'n' }, ContentType: 'text/plain' }, ({ ETag }) => ETag, ONE, { keep: ({ VersionId }) => ({ first: VersionId }) }),
  refuses('If-None-Match, and the object exists', PutObjectCommand, { ...object, Body: 'two', IfNoneMatch: '*' }, 'PreconditionFailed', { source: CONDITIONS }),
  answers('If-None-Match, and there is no object', PutObjectCommand, { Key: 'list/new.txt', Body: 'one', IfNoneMatch: '*' }, ({ ETag }) => ETag, ONE, { source: CONDITIONS }),
  refuses('If-Match with another ETag', PutObjectCommand, { ...object, Body: 'two', IfMatch: '"0123456789abcdef0123456789abcdef"' }, 'PreconditionFailed', { source: CONDITIONS }),
  refuses('If-Match, and there is no object', PutObjectCommand, { Key: 'list/none.txt', Body: 'two', IfMatch: ONE }, 'NoSuchKey', { source: CONDITIONS }),
  answers('If-Match with its ETag', PutObjectCommand, { ...object, Body: 'two', IfMatch: ONE }, ({ VersionId }) => VersionId !== undefined, true, {
    source: CONDITIONS,
    keep: ({ VersionId }) => ({ second: VersionId }),
  }),
  refuses('a key of 1,026 bytes', PutObjectCommand, { Key: 'Ж'.repeat(513), Body: '' }, 'KeyTooLongError', { source: KEYS, ...unchecked }),
  refuses('an MD5 of something else', PutObjectCommand, { Key: 'refused.txt', Body: 'two', ContentMD5: '1B2M2Y8AsgTpgAmY7PhCfg==' }, 'BadDigest', { source: ERRORS, ...unchecked }),
  refuses('an MD5 that is none', PutObjectCommand, { Key: 'refused.txt', Body: 'two', ContentMD5: 'none' }, 'InvalidDigest', { source: ERRORS, ...unchecked }),
  refuses('a checksum of something else', PutObjectCommand, { Key: 'refused.txt', Body: 'two', ChecksumSHA256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' }, 'BadDigest', {
    source: ERRORS,
    ...unchecked,
  }),
  refuses('metadata of more than 2 KB', PutObjectCommand, { Key: 'refused.txt', Body: 'two', Metadata: { note: 'x'.repeat(2_049) } }, 'MetadataTooLarge', { source: ERRORS, ...unchecked }),
  refuses('a bucket that does not exist', PutObjectCommand, ({ bucket }) => ({ Bucket: `${bucket}-none`, Key: 'a', Body: '' }), 'NoSuchBucket'),
];

const get = [
  answers('the newest version', GetObjectCommand, object, content, 'two'),
  answers('an earlier version', GetObjectCommand, version('first'), content, 'one'),
  answers('a range', GetObjectCommand, { ...object, Range: 'bytes=1-5' }, range, ['wo', 'bytes 1-2/3']),
  answers('the last bytes', GetObjectCommand, { ...object, Range: 'bytes=-2' }, range, ['wo', 'bytes 1-2/3']),
  answers('a range without an end', GetObjectCommand, { ...object, Range: 'bytes=1-' }, range, ['wo', 'bytes 1-2/3']),
  refuses('a range after the end', GetObjectCommand, { ...object, Range: 'bytes=3-' }, 'InvalidRange', { source: ERRORS }),
  refuses('If-Match with another ETag', GetObjectCommand, { ...object, IfMatch: ONE }, 'PreconditionFailed'),
  refuses('If-None-Match with its ETag', GetObjectCommand, ({ first }) => ({ ...object, VersionId: first, IfNoneMatch: ONE }), 'Unknown'),
  refuses('an object that does not exist', GetObjectCommand, { Key: 'list/none.txt' }, 'NoSuchKey'),
  refuses('a version that S3 never gives', GetObjectCommand, { ...object, VersionId: 'none' }, 'InvalidArgument', {
    source: ERRORS,
    ...moto('NoSuchVersion', 'moto does not check the form of a version.'),
  }),
  answers('metadata', HeadObjectCommand, version('first'), ({ Metadata, ContentType, ContentLength }) => [Metadata, ContentType, ContentLength], [{ note: 'n' }, 'text/plain', 3]),
  refuses('an object that does not exist', HeadObjectCommand, { Key: 'list/none.txt' }, 'NotFound'),
];

const SSE_C = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerSideEncryptionCustomerKeys.html';
const ACL = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-ownership-error-responses.html';
const archived = { Key: 'unreadable/archived.txt' };
const own = { Key: 'unreadable/own-key.txt' };
const customer = { ...own, SSECustomerAlgorithm: 'AES256', SSECustomerKey: 'x'.repeat(32) };

const unreadable = [
  answers('a class that is an archive', PutObjectCommand, { ...archived, Body: 'one', StorageClass: 'GLACIER' }, ({ ETag }) => ETag, ONE),
  answers('an archived object', HeadObjectCommand, archived, ({ StorageClass, ContentLength }) => [StorageClass, ContentLength], ['GLACIER', 3]),
  refuses('an archived object', GetObjectCommand, archived, 'InvalidObjectState'),
  accepts("the customer's key", PutObjectCommand, { ...customer, Body: 'one' }, { source: SSE_C }),
  refuses("an object under the customer's key, without it", HeadObjectCommand, own, 'Unknown', { source: SSE_C, ...unchecked }),
  refuses("an object under the customer's key, without it", GetObjectCommand, own, 'InvalidRequest', { source: SSE_C, ...unchecked }),
  answers("an object under the customer's key", GetObjectCommand, customer, content, 'one', { source: SSE_C }),
  accepts('the ACL that changes nothing', PutObjectCommand, { Key: 'acl.txt', Body: 'one', ACL: 'bucket-owner-full-control' }, { source: ACL }),
  refuses('another ACL', PutObjectCommand, { Key: 'acl.txt', Body: 'one', ACL: 'public-read' }, 'AccessControlListNotSupported', { source: ACL, ...unchecked }),
];

const list = [
  answers('a prefix', ListObjectsV2Command, { Prefix: 'list/o' }, ({ KeyCount, ...rest }) => [KeyCount, keys(rest)], [1, 'list/one.txt']),
  answers('the first page', ListObjectsV2Command, { Prefix: 'list/', MaxKeys: 1 }, page, [true, 'list/new.txt'], { keep: ({ NextContinuationToken }) => ({ next: NextContinuationToken }) }),
  answers('the next page', ListObjectsV2Command, ({ next }) => ({ Prefix: 'list/', ContinuationToken: next }), page, [false, 'list/one.txt']),
  answers('keys after another', ListObjectsV2Command, { Prefix: 'list/', StartAfter: 'list/new.txt' }, keys, 'list/one.txt'),
  refuses('a token that S3 never gives', ListObjectsV2Command, { ContinuationToken: 'none' }, 'InvalidArgument', { source: ERRORS, ...breaks }),
  answers('no keys at all', ListObjectsV2Command, { MaxKeys: 0 }, ({ KeyCount, ...rest }) => [KeyCount, keys(rest)], [0, '']),
  answers('the newest of two versions', ListObjectVersionsCommand, { Prefix: 'list/one.txt', MaxKeys: 1 }, latest, ['list/one.txt', [true]], {
    keep: ({ NextVersionIdMarker }) => ({ marker: NextVersionIdMarker }),
  }),
  answers('the next version of the same key', ListObjectVersionsCommand, ({ marker }) => ({ Prefix: 'list/one.txt', KeyMarker: 'list/one.txt', VersionIdMarker: marker }), latest, [
    undefined,
    [false],
  ]),
  refuses('a version marker without a key', ListObjectVersionsCommand, { VersionIdMarker: 'null' }, 'InvalidArgument', { source: ERRORS, ...unchecked }),
];

const remove = [
  answers('the newest version', DeleteObjectCommand, object, isMarker, true, { keep: ({ VersionId }) => ({ deletion: VersionId }) }),
  refuses('a deleted object', GetObjectCommand, object, 'NoSuchKey'),
  answers('the deletion', DeleteObjectCommand, version('deletion'), isMarker, true, moto('null', 'moto does not say that it deleted a delete marker.')),
  answers('a version', DeleteObjectCommand, version('second'), isMarker, undefined),
  answers('the version that is the newest now', GetObjectCommand, object, content, 'one'),
  refuses('a version that was deleted', GetObjectCommand, version('second'), 'NoSuchVersion'),
];

const bucket = [
  answers('a bucket with versions', GetBucketVersioningCommand, {}, ({ Status }) => Status, 'Enabled'),
  answers('a bucket that notifies nobody of its own', GetBucketNotificationConfigurationCommand, {}, ({ QueueConfigurations }) => QueueConfigurations, undefined),
];

const upload = casesOf(S3Client, S3, ({ bucket, upload }) => ({ Bucket: bucket, Key: 'large.bin', UploadId: upload }));
/** The smallest part that is not the last. */
const PART = 5 * 1024 * 1024;
const parts = (...given: [number, string | undefined][]) => ({ MultipartUpload: { Parts: given.map(([PartNumber, ETag]) => ({ PartNumber, ETag })) } });
const numbers = ({ Parts = [] }: { Parts?: { PartNumber?: number | undefined }[] | undefined }) => Parts.map(({ PartNumber }) => PartNumber);
const listed = ({ IsTruncated, ...rest }: ListPartsCommandOutput) => [IsTruncated, numbers(rest)];
const keepTag = (name: string) => ({ keep: ({ ETag }: { ETag?: string | undefined }) => ({ [name]: ETag }) });
const begun = { keep: ({ UploadId }: { UploadId?: string | undefined }) => ({ upload: UploadId }) };
/** The end of the ETag says how many parts there are. */
const countIn = ({ ETag }: { ETag?: string | undefined }) => ETag?.slice(-3);

const uploads = [
  upload.answers('an upload', CreateMultipartUploadCommand, {}, ({ Key }) => Key, 'large.bin', begun),
  upload.answers('no part so far', ListPartsCommand, {}, listed, [false, []]),
  upload.accepts('a part', UploadPartCommand, { PartNumber: 1, Body: Buffer.alloc(PART) }, keepTag('part1')),
  upload.accepts('the last part', UploadPartCommand, { PartNumber: 2, Body: 'end' }, keepTag('part2')),
  upload.refuses('part 0', UploadPartCommand, { PartNumber: 0, Body: 'x' }, 'InvalidArgument', {
    source: ERRORS,
    ...moto('NoSuchUpload', 'moto does not find the part, where S3 names the wrong number.'),
  }),
  upload.refuses('part 10,001', UploadPartCommand, { PartNumber: 10_001, Body: 'x' }, 'InvalidArgument', { source: ERRORS }),
  upload.refuses('a part of an upload that does not exist', UploadPartCommand, { UploadId: 'none', PartNumber: 1, Body: 'x' }, 'NoSuchUpload', { source: ERRORS, ...breaks }),
  upload.answers('the first part', ListPartsCommand, { MaxParts: 1 }, ({ IsTruncated, NextPartNumberMarker, ...rest }) => [IsTruncated, NextPartNumberMarker, numbers(rest)], [true, '1', [1]]),
  upload.answers('the parts after it', ListPartsCommand, { PartNumberMarker: '1' }, listed, [false, [2]]),
  upload.refuses('an upload that does not exist', ListPartsCommand, { UploadId: 'none' }, 'NoSuchUpload', { source: ERRORS }),
  upload.answers('the upload', ListMultipartUploadsCommand, { Prefix: 'large' }, ({ Uploads = [] }) => Uploads.map(({ Key }) => Key), ['large.bin']),
  upload.refuses('no part', CompleteMultipartUploadCommand, parts(), 'MalformedXML', { source: ERRORS }),
  upload.refuses('parts in another order', CompleteMultipartUploadCommand, ({ part1, part2 }) => parts([2, part2], [1, part1]), 'InvalidPartOrder', {
    source: ERRORS,
    ...moto('EntityTooSmall', 'moto does not check the order.'),
  }),
  upload.refuses('a part with another ETag', CompleteMultipartUploadCommand, ({ part2 }) => parts([1, part2], [2, part2]), 'InvalidPart'),
  upload.accepts('a small part', UploadPartCommand, { PartNumber: 3, Body: 'x' }, keepTag('part3')),
  upload.refuses('a small part that is not the last', CompleteMultipartUploadCommand, ({ part2, part3 }) => parts([2, part2], [3, part3]), 'EntityTooSmall'),
  upload.answers('parts 1 and 2', CompleteMultipartUploadCommand, ({ part1, part2 }) => parts([1, part1], [2, part2]), countIn, '-2"'),
  upload.refuses('an upload that is complete', ListPartsCommand, {}, 'NoSuchUpload', { source: ERRORS }),
  upload.answers('an upload of the same object', CreateMultipartUploadCommand, {}, ({ Key }) => Key, 'large.bin', begun),
  upload.accepts('its part', UploadPartCommand, { PartNumber: 1, Body: 'small' }, keepTag('part1')),
  upload.refuses('If-None-Match, and the object exists', CompleteMultipartUploadCommand, ({ part1 }) => ({ ...parts([1, part1]), IfNoneMatch: '*' }), 'PreconditionFailed', {
    source: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html',
  }),
  upload.accepts('the upload', AbortMultipartUploadCommand, {}),
  upload.refuses('an upload that does not exist', AbortMultipartUploadCommand, { UploadId: 'none' }, 'NoSuchUpload'),
];

export const s3 = { service: 'S3', cases: [...bucket, ...put, ...get, ...unreadable, ...list, ...remove, ...uploads] };
