import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { evidenceWatch } from '../../core/signing/digesting-stream.ts';

/** Bytes between two garbage collections. */
const COLLECT_EVERY = 8 * 1024 * 1024;

/**
 * The SHA-256 of a document of any length, in little memory, and whether it begins as evidence does. V8 counts a socket buffer as a small object, so it would keep about
 * 80 MB of used buffers before it collects them. A minor collection takes a millisecond.
 */
export async function digestStream(stream: Readable): Promise<{ digest: Buffer; isEvidence: boolean }> {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  const hash = createHash('sha256');
  const watch = evidenceWatch();
  let isEvidence = false;
  let sinceCollected = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    isEvidence = watch(chunk);
    sinceCollected += chunk.length;
    if (sinceCollected < COLLECT_EVERY) continue;
    sinceCollected = 0;
    collect({ type: 'minor' });
  }
  return { digest: hash.digest(), isEvidence };
}
