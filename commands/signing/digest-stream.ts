import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes after which the buffers that they came in are collected. */
const COLLECT_EVERY = 8 * 1024 * 1024;

/**
 * The SHA-256 of a stream, whatever its length, in little memory. V8 sees a buffer from a socket as a small object and would let
 * eighty megabytes of used ones gather before it collects them by itself; a young collection takes a millisecond.
 */
export async function digestStream(stream: Readable): Promise<Buffer> {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  const hash = createHash('sha256');
  let sinceCollected = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    sinceCollected += chunk.length;
    if (sinceCollected < COLLECT_EVERY) continue;
    sinceCollected = 0;
    collect({ type: 'minor' });
  }
  return hash.digest();
}
