import { open } from 'node:fs/promises';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type ListPartsCommandOutput,
  NotFound,
  PutObjectCommand,
  type S3Client,
  type Part as StoredPart,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { checksum, type Part, partsOf, readPart } from './parts.ts';

/** A file on this machine and where it goes. */
export interface FileToUpload {
  path: string;
  /** Its path in the package. */
  name: string;
  /** Bytes. */
  size: number;
  contentType: string;
  bucket: string;
  key: string;
}

/** Parts that are on their way at the same time. */
const AT_ONCE = 4;

/** The object that is there now, if there is one. Another tool may have uploaded it without this checksum. */
export async function storedObject(s3: S3Client, bucket: string, key: string) {
  try {
    return await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' }));
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/**
 * Uploads a file. One of several parts continues where an interrupted upload of the same file ended.
 * @param onBytes is told how many bytes more are stored.
 * @returns the version of the object
 */
export async function uploadFile(s3: S3Client, file: FileToUpload, onBytes: (bytes: number) => void): Promise<string> {
  const parts = partsOf(file.size);
  if (parts.length > 1) return uploadParts(s3, file, parts, onBytes);
  const handle = await open(file.path);
  try {
    const Body = await readPart(handle, parts[0] as Part);
    const sum = { ChecksumAlgorithm: 'SHA256', ChecksumSHA256: checksum(Body) } as const;
    const { VersionId = '' } = await s3.send(new PutObjectCommand({ ...target(file), ...sum, Body }));
    onBytes(Body.length);
    return VersionId;
  } finally {
    await handle.close();
  }
}

function target({ bucket: Bucket, key: Key, contentType: ContentType }: FileToUpload) {
  return { Bucket, Key, ContentType };
}

type Sums = Map<number, string>;

async function uploadParts(
  s3: S3Client,
  file: FileToUpload,
  parts: Part[],
  onBytes: (bytes: number) => void,
): Promise<string> {
  const { UploadId, stored } = (await interrupted(s3, file)) ?? (await begin(s3, file));
  const upload = { Bucket: file.bucket, Key: file.key, UploadId };
  const sums: Sums = new Map();
  const left = [...parts];
  const handle = await open(file.path);
  const work = async () => {
    for (let part = left.shift(); part; part = left.shift()) {
      const Body = await readPart(handle, part);
      const ChecksumSHA256 = checksum(Body);
      const isStored = stored.get(part.number) === ChecksumSHA256;
      if (!isStored) await s3.send(new UploadPartCommand({ ...upload, PartNumber: part.number, Body, ChecksumSHA256 }));
      sums.set(part.number, ChecksumSHA256);
      onBytes(Body.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await handle.close();
  }
  return complete(s3, upload, sums);
}

async function begin(s3: S3Client, file: FileToUpload): Promise<{ UploadId: string; stored: Sums }> {
  const command = new CreateMultipartUploadCommand({ ...target(file), ChecksumAlgorithm: 'SHA256' });
  const { UploadId = '' } = await s3.send(command);
  return { UploadId, stored: new Map() };
}

/** The newest upload of this file that this command began and did not complete, with the checksums of its parts. */
async function interrupted(s3: S3Client, file: FileToUpload) {
  const search = new ListMultipartUploadsCommand({ Bucket: file.bucket, Prefix: file.key });
  const { Uploads = [] } = await s3.send(search);
  // Other tools use other checksums.
  const own = Uploads.filter((upload) => upload.Key === file.key && upload.ChecksumAlgorithm === 'SHA256');
  const newest = own.toSorted((one, other) => Number(one.Initiated) - Number(other.Initiated)).at(-1);
  if (newest?.UploadId === undefined) return undefined;
  const { UploadId } = newest;
  const stored: Sums = new Map();
  const upload = { Bucket: file.bucket, Key: file.key, UploadId };
  for await (const { PartNumber = 0, ChecksumSHA256 = '' } of storedParts(s3, upload))
    stored.set(PartNumber, ChecksumSHA256);
  return { UploadId, stored };
}

interface UnfinishedUpload {
  Bucket: string;
  Key: string;
  UploadId: string | undefined;
}

/**
 * The SDK's own paginator ends when there is no marker. S3 sends a marker with every page, and `0` after the last part, so that
 * paginator would never end.
 */
async function* storedParts(s3: S3Client, upload: UnfinishedUpload): AsyncGenerator<StoredPart> {
  let page: ListPartsCommandOutput | undefined;
  do {
    page = await s3.send(new ListPartsCommand({ ...upload, PartNumberMarker: page?.NextPartNumberMarker }));
    yield* page.Parts ?? [];
  } while (page.IsTruncated);
}

/** ETags are listed anew, because a part of an interrupted upload gave its ETag to the run before. */
async function complete(s3: S3Client, upload: UnfinishedUpload, sums: Sums) {
  const Parts: { PartNumber: number; ETag: string; ChecksumSHA256: string }[] = [];
  for await (const { PartNumber = 0, ETag = '' } of storedParts(s3, upload)) {
    const ChecksumSHA256 = sums.get(PartNumber);
    if (ChecksumSHA256 !== undefined) Parts.push({ PartNumber, ETag, ChecksumSHA256 });
  }
  Parts.sort((one, other) => one.PartNumber - other.PartNumber);
  const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
  return (await s3.send(command)).VersionId ?? '';
}
