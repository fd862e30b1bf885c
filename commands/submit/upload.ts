import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type ListPartsCommandInput,
  type ListPartsCommandOutput,
  NotFound,
  PutObjectCommand,
  type S3Client,
  type Part as StoredPart,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { ignoring } from '../shared/failure.ts';
import { openUnlinked } from '../shared/local-file.ts';

/** A local file and its target. */
export interface FileToUpload {
  path: string;
  /** Its path in the package. */
  name: string;
  /** Bytes. */
  size: number;
  contentType: string;
  bucket: string;
  key: string;
  /** Of the object that is there. It is replaced only if it is still that one. */
  etag?: string | undefined;
}

const AT_ONCE = 4;

/** The existing object, if there is one. Another tool may have uploaded it without this checksum. */
export function storedObject(s3: S3Client, Bucket: string, Key: string) {
  const head = new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' });
  return s3.send(head).catch(ignoring((error) => error instanceof NotFound));
}

/**
 * Uploads a file. One of several parts continues where an interrupted upload of the same file ended.
 * @param onBytes receives the number of newly stored bytes.
 * Throws an error of `NOT_MET` if the object is not the one that was there.
 */
export async function uploadFile(s3: S3Client, file: FileToUpload, onBytes: (bytes: number) => void) {
  const parts = partsOf(file.size);
  if (parts.length > 1) return uploadParts(s3, file, parts, onBytes);
  const handle = await openUnlinked(file.path, file.name);
  try {
    const Body = await readPart(handle, parts[0] as Part);
    const sum = { ChecksumAlgorithm: 'SHA256', ChecksumSHA256: checksum(Body) } as const;
    const uploaded = await s3.send(new PutObjectCommand({ ...target(file), ...sum, ...condition(file), Body }));
    onBytes(Body.length);
    return uploaded;
  } finally {
    await handle.close();
  }
}

function target({ bucket: Bucket, key: Key, contentType: ContentType }: FileToUpload) {
  return { Bucket, Key, ContentType };
}

const condition = ({ etag }: FileToUpload) => (etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag });

type Stored = Map<number | undefined, StoredPart>;

async function uploadParts(s3: S3Client, file: FileToUpload, parts: Part[], onBytes: (bytes: number) => void) {
  const { UploadId, stored } = (await interrupted(s3, file)) ?? (await begin(s3, file));
  const upload = { Bucket: file.bucket, Key: file.key, UploadId };
  const sums = new Map<number, string>();
  const left = [...parts];
  const handle = await openUnlinked(file.path, file.name);
  const work = async () => {
    for (let part = left.shift(); part; part = left.shift()) {
      const Body = await readPart(handle, part);
      const sum = { PartNumber: part.number, ChecksumSHA256: checksum(Body) };
      const isStored = stored.get(part.number)?.ChecksumSHA256 === sum.ChecksumSHA256;
      if (!isStored) await s3.send(new UploadPartCommand({ ...upload, ...sum, Body }));
      sums.set(part.number, sum.ChecksumSHA256);
      onBytes(Body.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await handle.close();
  }
  // Listed again, because the ETags of an interrupted upload's parts went to the earlier run.
  const listed = await storedParts(s3, upload);
  const Parts = parts.map(({ number: PartNumber }) => {
    return { PartNumber, ETag: listed.get(PartNumber)?.ETag, ChecksumSHA256: sums.get(PartNumber) };
  });
  const MultipartUpload = { Parts };
  return s3.send(new CompleteMultipartUploadCommand({ ...upload, ...condition(file), MultipartUpload }));
}

async function begin(s3: S3Client, file: FileToUpload) {
  const command = new CreateMultipartUploadCommand({ ...target(file), ChecksumAlgorithm: 'SHA256' });
  return { UploadId: (await s3.send(command)).UploadId, stored: new Map() as Stored };
}

/** The newest upload of this file that this command began and did not complete, with its parts. */
async function interrupted(s3: S3Client, file: FileToUpload) {
  const { bucket: Bucket, key: Key } = file;
  const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
  // Other tools use other checksums.
  const own = Uploads.filter((upload) => upload.Key === Key && upload.ChecksumAlgorithm === 'SHA256');
  const newest = own.toSorted((one, other) => Number(one.Initiated) - Number(other.Initiated)).at(-1);
  if (newest?.UploadId === undefined) return undefined;
  const { UploadId } = newest;
  return { UploadId, stored: await storedParts(s3, { Bucket, Key, UploadId }) };
}

/**
 * The SDK's own paginator ends when there is no marker. S3 sends a marker with every page, and `0` after the last part, so that
 * paginator would never end.
 */
async function storedParts(s3: S3Client, upload: ListPartsCommandInput): Promise<Stored> {
  const stored: Stored = new Map();
  let page: ListPartsCommandOutput | undefined;
  do {
    page = await s3.send(new ListPartsCommand({ ...upload, PartNumberMarker: page?.NextPartNumberMarker }));
    for (const part of page.Parts ?? []) stored.set(part.PartNumber, part);
  } while (page.IsTruncated);
  return stored;
}

const MIB = 1024 * 1024;

/** Bytes. A larger file is uploaded in parts of this size, so that an interrupted upload can continue. */
const PART = 8 * MIB;

/** S3's limit for one multipart upload. */
const MOST_PARTS = 10_000;

/** Where a part of a file begins and ends. `end` is exclusive. */
interface Part {
  /** Counted from 1, as S3 does. */
  number: number;
  start: number;
  end: number;
}

/** The parts of a file of this many bytes. They depend on the size alone, so a later upload has the same parts. */
function partsOf(size: number): Part[] {
  const length = Math.max(PART, Math.ceil(size / MOST_PARTS / MIB) * MIB);
  const count = Math.max(1, Math.ceil(size / length));
  return Array.from({ length: count }, (_part, index) => ({
    number: index + 1,
    start: index * length,
    end: Math.min(size, (index + 1) * length),
  }));
}

async function readPart(file: FileHandle, { start, end }: Part): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

/** SHA-256 in Base64, as S3 writes it. */
function checksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/**
 * The `ChecksumSHA256` that S3 keeps for a file which was uploaded in these parts: the SHA-256 of the file, or for several parts the
 * SHA-256 of their SHA-256s and the number of parts (Amazon S3 User Guide, "Checking object integrity").
 */
export async function checksumOfFile({ path, name, size }: FileToUpload): Promise<string> {
  const parts = partsOf(size);
  const file = await openUnlinked(path, name);
  try {
    const sums: string[] = [];
    for (const part of parts) sums.push(checksum(await readPart(file, part)));
    if (sums.length === 1) return sums[0] as string;
    return `${checksum(Buffer.concat(sums.map((sum) => Buffer.from(sum, 'base64'))))}-${sums.length}`;
  } finally {
    await file.close();
  }
}
