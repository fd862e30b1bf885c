import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { Digests } from './to-sign.ts';

/**
 * A stream that passes everything on and knows its size in bytes and its digests once it has ended: all that a signature may be
 * made over, so that nobody reads the document again for one.
 */
export function counted(): { stream: Transform; size(): number; digests(): Digests } {
  const [sha256, sha384, sha512] = ['sha256', 'sha384', 'sha512'].map((name) => createHash(name)) as [
    ReturnType<typeof createHash>,
    ReturnType<typeof createHash>,
    ReturnType<typeof createHash>,
  ];
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const hash of [sha256, sha384, sha512]) hash.update(chunk);
      size += chunk.length;
      done(undefined, chunk);
    },
  });
  const digests = () => ({ sha256: sha256.digest('hex'), sha384: sha384.digest('hex'), sha512: sha512.digest('hex') });
  return { stream, size: () => size, digests };
}
