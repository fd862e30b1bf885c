import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';

/** A stream that passes everything on and knows its size in bytes and SHA-256 (hex) once it has ended. */
export function counted(): { stream: Transform; size(): number; sha256(): string } {
  const hash = createHash('sha256');
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(undefined, chunk);
    },
  });
  return { stream, size: () => size, sha256: () => hash.digest('hex') };
}
