import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { breaks, casesOf, moto } from '../case.ts';

const { answers, refuses } = casesOf(S3Client, 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_{operation}.html', ({ bucket, upload }) => ({
  Bucket: bucket,
  Key: 'large.bin',
  UploadId: upload,
}));
const ERRORS = 'https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html';
/** The smallest part that is not the last. */
const PART = 5 * 1024 * 1024;
const parts = (...given: [number, string | undefined][]) => ({
  MultipartUpload: { Parts: given.map(([PartNumber, ETag]) => ({ PartNumber, ETag })) },
});
const numbers = ({ Parts = [] }: { Parts?: { PartNumber?: number | undefined }[] | undefined }) => Parts.map(({ PartNumber }) => PartNumber);

export const s3Uploads = [
  answers('an upload', CreateMultipartUploadCommand, {}, ({ Key }) => Key, 'large.bin', { keep: ({ UploadId }) => ({ upload: UploadId }) }),
  answers('no part so far', ListPartsCommand, {}, ({ IsTruncated, ...rest }) => [IsTruncated, numbers(rest)], [false, []]),
  answers('a part', UploadPartCommand, { PartNumber: 1, Body: Buffer.alloc(PART) }, ({ ETag }) => ETag !== undefined, true, { keep: ({ ETag }) => ({ part1: ETag }) }),
  answers('the last part', UploadPartCommand, { PartNumber: 2, Body: 'end' }, ({ ETag }) => ETag !== undefined, true, { keep: ({ ETag }) => ({ part2: ETag }) }),
  refuses('part 0', UploadPartCommand, { PartNumber: 0, Body: 'x' }, 'InvalidArgument', { source: ERRORS, ...moto('NoSuchUpload', 'moto does not find the part, where S3 names the wrong number.') }),
  refuses('part 10,001', UploadPartCommand, { PartNumber: 10_001, Body: 'x' }, 'InvalidArgument', { source: ERRORS }),
  refuses('a part of an upload that does not exist', UploadPartCommand, { UploadId: 'none', PartNumber: 1, Body: 'x' }, 'NoSuchUpload', { source: ERRORS, ...breaks }),
  answers('the first part', ListPartsCommand, { MaxParts: 1 }, ({ IsTruncated, NextPartNumberMarker, ...rest }) => [IsTruncated, NextPartNumberMarker, numbers(rest)], [true, '1', [1]]),
  answers('the parts after it', ListPartsCommand, { PartNumberMarker: '1' }, ({ IsTruncated, ...rest }) => [IsTruncated, numbers(rest)], [false, [2]]),
  refuses('an upload that does not exist', ListPartsCommand, { UploadId: 'none' }, 'NoSuchUpload', { source: ERRORS }),
  answers('the upload', ListMultipartUploadsCommand, { Prefix: 'large' }, ({ Uploads = [] }) => Uploads.map(({ Key }) => Key), ['large.bin']),
  refuses('no part', CompleteMultipartUploadCommand, parts(), 'MalformedXML', { source: ERRORS }),
  refuses('parts in another order', CompleteMultipartUploadCommand, ({ part1, part2 }) => parts([2, part2], [1, part1]), 'InvalidPartOrder', {
    source: ERRORS,
    ...moto('EntityTooSmall', 'moto does not check the order.'),
  }),
  refuses('a part with another ETag', CompleteMultipartUploadCommand, ({ part2 }) => parts([1, part2], [2, part2]), 'InvalidPart'),
  answers('a small part', UploadPartCommand, { PartNumber: 3, Body: 'x' }, ({ ETag }) => ETag !== undefined, true, { keep: ({ ETag }) => ({ part3: ETag }) }),
  refuses('a small part that is not the last', CompleteMultipartUploadCommand, ({ part2, part3 }) => parts([2, part2], [3, part3]), 'EntityTooSmall'),
  answers(
    'parts 1 and 2',
    CompleteMultipartUploadCommand,
    ({ part1, part2 }) => parts([1, part1], [2, part2]),
    ({ ETag }) => ETag?.slice(-3),
    '-2"',
  ),
  refuses('an upload that is complete', ListPartsCommand, {}, 'NoSuchUpload', { source: ERRORS }),
  answers('an upload of the same object', CreateMultipartUploadCommand, {}, ({ Key }) => Key, 'large.bin', { keep: ({ UploadId }) => ({ upload: UploadId }) }),
  answers('its part', UploadPartCommand, { PartNumber: 1, Body: 'small' }, ({ ETag }) => ETag !== undefined, true, { keep: ({ ETag }) => ({ part1: ETag }) }),
  refuses('If-None-Match, and the object exists', CompleteMultipartUploadCommand, ({ part1 }) => ({ ...parts([1, part1]), IfNoneMatch: '*' }), 'PreconditionFailed', {
    source: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html',
  }),
  answers('the upload', AbortMultipartUploadCommand, {}, () => 'gone', 'gone'),
  refuses('an upload that does not exist', AbortMultipartUploadCommand, { UploadId: 'none' }, 'NoSuchUpload'),
];
