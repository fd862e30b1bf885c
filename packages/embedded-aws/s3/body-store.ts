import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AwsError } from '../protocol/operation.ts';
import { announcedAlgorithm, type Checksum, runningChecksum } from './checksums.ts';
import { ChunkedDecoder, ChunkFramingError } from './chunked-decoder.ts';

/** A body or a part of one. Small ones are in memory, larger ones in a file each. */
export interface Segment {
  content: Buffer | { path: string };
  /** Bytes. */
  size: number;
}

export interface StoredBody extends Segment {
  /** MD5 in hexadecimal. It is the ETag, except after a multipart upload. */
  md5: string;
  checksum?: Checksum;
}

/** Larger bodies are written to files. Most bodies are small, and writing files is slow. Bytes. */
const LARGEST_IN_MEMORY = 16 * 1024;

export type BodyStore = ReturnType<typeof createBodyStore>;

/** Stores bodies. Files have random names, so a key never becomes part of a path. */
export function createBodyStore(directory: string) {
  return {
    /** Stores a request's body and verifies its length and checksums. Throws an AwsError if they do not match the headers. */
    receive: async (request: IncomingMessage): Promise<StoredBody> => {
      const { headers } = request;
      const decoder = isChunked(headers) ? new ChunkedDecoder() : undefined;
      const source = decoder ? request.pipe(decoder) : request;
      if (decoder) request.on('error', (error) => decoder.destroy(error));
      try {
        const { body, ...found } = await write(directory, chunksOf(source), headers);
        try {
          return { ...body, ...verified(headers, decoder?.trailers, { ...body, ...found }) };
        } catch (error) {
          await discard([body]);
          throw error;
        }
      } catch (error) {
        if (error instanceof ChunkFramingError) throw new AwsError('IncompleteBody', error.message);
        throw error;
      }
    },
    read,
    discard,
  };
}

async function* read(segments: readonly Segment[], start: number, end: number): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const segment of segments) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, segment.size - 1);
    offset += segment.size;
    if (from > to) continue;
    if (Buffer.isBuffer(segment.content)) yield segment.content.subarray(from, to + 1);
    else yield* createReadStream(segment.content.path, { start: from, end: to });
  }
}

async function discard(segments: readonly Segment[]): Promise<void> {
  const files = segments.flatMap(({ content }) => (Buffer.isBuffer(content) ? [] : [content.path]));
  await Promise.all(files.map((path) => rm(path, { force: true })));
}

async function write(directory: string, source: AsyncIterable<Buffer>, headers: IncomingHttpHeaders) {
  const algorithm = announcedAlgorithm(headers);
  const md5 = createHash('md5');
  const sha256 = /^[0-9a-f]{64}$/.test(String(headers['x-amz-content-sha256'])) ? createHash('sha256') : undefined;
  const checksum = runningChecksum(algorithm);
  let size = 0;
  const measure = async function* () {
    for await (const chunk of source) {
      size += chunk.length;
      for (const sum of [md5, sha256, checksum]) sum?.update(chunk);
      yield chunk;
    }
  };
  const content = await keep(directory, measure());
  const body = { content, size, md5: md5.digest('hex') };
  return { body, algorithm, sha256: sha256?.digest('hex'), computed: checksum?.digest().toString('base64') };
}

async function keep(directory: string, chunks: AsyncGenerator<Buffer>): Promise<Segment['content']> {
  const beginning: Buffer[] = [];
  let size = 0;
  while (size <= LARGEST_IN_MEMORY) {
    const { value, done } = await chunks.next();
    if (done) return Buffer.concat(beginning);
    beginning.push(value);
    size += value.length;
  }
  const path = join(directory, randomUUID());
  const whole = async function* () {
    yield* beginning;
    yield* chunks;
  };
  try {
    await pipeline(whole, createWriteStream(path));
    return { path };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** The chunks of a request's body. The request is not destroyed on errors, because they must be answered. */
const chunksOf = (body: Readable): AsyncIterable<Buffer> => body.iterator({ destroyOnReturn: false });

function isChunked(headers: IncomingHttpHeaders): boolean {
  return (
    String(headers['x-amz-content-sha256'] ?? '').startsWith('STREAMING-') ||
    String(headers['content-encoding'] ?? '').includes('aws-chunked')
  );
}

type Measured = Omit<Awaited<ReturnType<typeof write>>, 'body'> & Pick<StoredBody, 'size' | 'md5'>;

/** Compares the length and checksums in headers and trailers with the received body. Returns the checksum to store. */
function verified(
  headers: IncomingHttpHeaders,
  trailers: Map<string, string> | undefined,
  measured: Measured,
): { checksum?: Checksum } {
  const length = headers['x-amz-decoded-content-length'];
  if (length !== undefined && Number(length) !== measured.size) {
    throw new AwsError('IncompleteBody', `The body has ${measured.size} bytes, but ${String(length)} were announced.`);
  }
  if (measured.sha256 && measured.sha256 !== headers['x-amz-content-sha256']) {
    throw new AwsError('XAmzContentSHA256Mismatch', "The provided 'x-amz-content-sha256' header does not match.");
  }
  const md5 = headers['content-md5'];
  if (md5 !== undefined && Buffer.from(String(md5), 'base64').length !== 16) {
    throw new AwsError('InvalidDigest', 'The Content-MD5 you specified was invalid.');
  }
  if (md5 !== undefined && Buffer.from(String(md5), 'base64').toString('hex') !== measured.md5) {
    throw new AwsError('BadDigest', 'The Content-MD5 you specified did not match what we received.');
  }
  const { algorithm, computed } = measured;
  if (!algorithm) return {};
  const name = `x-amz-checksum-${algorithm}`;
  const claimed = trailers?.get(name) ?? headers[name];
  if (claimed === undefined) throw new AwsError('InvalidRequest', `The announced trailer ${name} is missing.`);
  if (computed !== undefined && computed !== claimed) {
    throw new AwsError('BadDigest', `The ${algorithm.toUpperCase()} you specified did not match what we received.`);
  }
  return { checksum: { algorithm, value: String(claimed), type: 'FULL_OBJECT' } };
}
