import {
  DeleteObjectCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { breaks, casesOf, misdirected, moto, unchecked } from '../case.ts';
import { s3Uploads } from './s3-uploads.ts';

const { answers, refuses } = casesOf(S3Client, 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_{operation}.html', ({ bucket }) => ({ Bucket: bucket }));
const CONDITIONS = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html';
const KEYS = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html';
const ERRORS = 'https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html';
/** The MD5 of `one`. */
const ONE = '"f97c5d29941bfb1b2fdab0874906ab82"';
const keys = ({ Contents = [] }: { Contents?: { Key?: string | undefined }[] | undefined }) => Contents.map(({ Key }) => Key).join(' ');
const object = { Key: 'list/one.txt' };

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
  answers('the newest version', GetObjectCommand, object, async ({ Body }) => Body?.transformToString(), 'two'),
  answers(
    'an earlier version',
    GetObjectCommand,
    ({ first }) => ({ ...object, VersionId: first }),
    async ({ Body }) => Body?.transformToString(),
    'one',
  ),
  answers('a range', GetObjectCommand, { ...object, Range: 'bytes=1-5' }, async ({ Body, ContentRange }) => [await Body?.transformToString(), ContentRange], ['wo', 'bytes 1-2/3']),
  answers('the last bytes', GetObjectCommand, { ...object, Range: 'bytes=-2' }, async ({ Body, ContentRange }) => [await Body?.transformToString(), ContentRange], ['wo', 'bytes 1-2/3']),
  answers('a range without an end', GetObjectCommand, { ...object, Range: 'bytes=1-' }, async ({ Body, ContentRange }) => [await Body?.transformToString(), ContentRange], ['wo', 'bytes 1-2/3']),
  refuses('a range after the end', GetObjectCommand, { ...object, Range: 'bytes=3-' }, 'InvalidRange', { source: ERRORS }),
  refuses('If-Match with another ETag', GetObjectCommand, { ...object, IfMatch: ONE }, 'PreconditionFailed'),
  refuses('If-None-Match with its ETag', GetObjectCommand, ({ first }) => ({ ...object, VersionId: first, IfNoneMatch: ONE }), 'Unknown'),
  refuses('an object that does not exist', GetObjectCommand, { Key: 'list/none.txt' }, 'NoSuchKey'),
  refuses('a version that S3 never gives', GetObjectCommand, { ...object, VersionId: 'none' }, 'InvalidArgument', {
    source: ERRORS,
    ...moto('NoSuchVersion', 'moto does not check the form of a version.'),
  }),
  answers(
    'metadata',
    HeadObjectCommand,
    ({ first }) => ({ ...object, VersionId: first }),
    ({ Metadata, ContentType, ContentLength }) => [Metadata, ContentType, ContentLength],
    [{ note: 'n' }, 'text/plain', 3],
  ),
  refuses('an object that does not exist', HeadObjectCommand, { Key: 'list/none.txt' }, 'NotFound'),
  refuses('a request that is signed for another service', GetObjectCommand, object, 'AuthorizationHeaderMalformed', { ...misdirected, ...moto('Error', 'moto does not answer as S3 does.') }),
];

const list = [
  answers('a prefix', ListObjectsV2Command, { Prefix: 'list/o' }, ({ KeyCount, ...rest }) => [KeyCount, keys(rest)], [1, 'list/one.txt']),
  answers('the first page', ListObjectsV2Command, { Prefix: 'list/', MaxKeys: 1 }, ({ IsTruncated, ...rest }) => [IsTruncated, keys(rest)], [true, 'list/new.txt'], {
    keep: ({ NextContinuationToken }) => ({ next: NextContinuationToken }),
  }),
  answers(
    'the next page',
    ListObjectsV2Command,
    ({ next }) => ({ Prefix: 'list/', ContinuationToken: next }),
    ({ IsTruncated, ...rest }) => [IsTruncated, keys(rest)],
    [false, 'list/one.txt'],
  ),
  answers('keys after another', ListObjectsV2Command, { Prefix: 'list/', StartAfter: 'list/new.txt' }, keys, 'list/one.txt'),
  refuses('a token that S3 never gives', ListObjectsV2Command, { ContinuationToken: 'none' }, 'InvalidArgument', { source: ERRORS, ...breaks }),
  answers('no keys at all', ListObjectsV2Command, { MaxKeys: 0 }, ({ KeyCount, ...rest }) => [KeyCount, keys(rest)], [0, '']),
  answers(
    'the newest of two versions',
    ListObjectVersionsCommand,
    { Prefix: 'list/one.txt', MaxKeys: 1 },
    ({ IsTruncated, Versions = [], NextKeyMarker }) => [IsTruncated, Versions.map(({ IsLatest }) => IsLatest), NextKeyMarker],
    [true, [true], 'list/one.txt'],
    { keep: ({ NextVersionIdMarker }) => ({ marker: NextVersionIdMarker }) },
  ),
  answers(
    'the next version of the same key',
    ListObjectVersionsCommand,
    ({ marker }) => ({ Prefix: 'list/one.txt', KeyMarker: 'list/one.txt', VersionIdMarker: marker }),
    ({ IsTruncated, Versions = [] }) => [IsTruncated, Versions.map(({ IsLatest }) => IsLatest)],
    [false, [false]],
  ),
  refuses('a version marker without a key', ListObjectVersionsCommand, { VersionIdMarker: 'null' }, 'InvalidArgument', { source: ERRORS, ...unchecked }),
];

const remove = [
  answers('the newest version', DeleteObjectCommand, object, ({ DeleteMarker }) => DeleteMarker, true, { keep: ({ VersionId }) => ({ deletion: VersionId }) }),
  refuses('a deleted object', GetObjectCommand, object, 'NoSuchKey'),
  answers(
    'the deletion',
    DeleteObjectCommand,
    ({ deletion }) => ({ ...object, VersionId: deletion }),
    ({ DeleteMarker }) => DeleteMarker,
    true,
    moto('null', 'moto does not say that it deleted a delete marker.'),
  ),
  answers(
    'a version',
    DeleteObjectCommand,
    ({ second }) => ({ ...object, VersionId: second }),
    ({ DeleteMarker }) => DeleteMarker,
    undefined,
  ),
  answers('the version that is the newest now', GetObjectCommand, object, async ({ Body }) => Body?.transformToString(), 'one'),
  refuses('a version that was deleted', GetObjectCommand, ({ second }) => ({ ...object, VersionId: second }), 'NoSuchVersion'),
];

const bucket = [
  answers('a bucket with versions', GetBucketVersioningCommand, {}, ({ Status }) => Status, 'Enabled'),
  answers('a bucket that notifies nobody of its own', GetBucketNotificationConfigurationCommand, {}, ({ QueueConfigurations }) => QueueConfigurations, undefined),
];

export const s3 = { service: 'S3', cases: [...bucket, ...put, ...get, ...list, ...remove, ...s3Uploads] };
