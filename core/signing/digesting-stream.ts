import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { evidenceWatch } from './evidence-start.ts';
import type { Digests } from './to-sign.ts';

/**
 * A stream that passes its data on. After it has ended, it knows the size in bytes and all digests that a signature may
 * need. So the document is not read again to sign it or to check its signature.
 * @param most after this many bytes, the stream fails. It fails, too, if the document begins as evidence does.
 */
export function digestingStream(most = Number.POSITIVE_INFINITY): {
  stream: Transform;
  size(): number;
  isEvidence(): boolean;
  digests(): Digests;
} {
  const [sha256, sha384, sha512] = ['sha256', 'sha384', 'sha512'].map((name) => createHash(name)) as [
    ReturnType<typeof createHash>,
    ReturnType<typeof createHash>,
    ReturnType<typeof createHash>,
  ];
  let size = 0;
  let isEvidence = false;
  const watch = evidenceWatch();
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const hash of [sha256, sha384, sha512]) hash.update(chunk);
      size += chunk.length;
      isEvidence = watch(chunk);
      if (isEvidence) done(new Error('begins as evidence does'));
      else if (size > most) done(new Error(`more than ${most} bytes`));
      else done(undefined, chunk);
    },
  });
  const digests = () => ({ sha256: sha256.digest('hex'), sha384: sha384.digest('hex'), sha512: sha512.digest('hex') });
  return { stream, size: () => size, isEvidence: () => isEvidence, digests };
}
