import { createHash } from 'node:crypto';
import { type DigestAlgorithm, gostDigests, isGostDigest } from './signature-algorithms.ts';

/** Computes the digest of a stream. Streebog is imported on first use, because most signatures do not need it. */
export async function digestOf(
  content: AsyncIterable<Uint8Array>,
  algorithm: DigestAlgorithm | 'sha1',
): Promise<Buffer> {
  const hash = isGostDigest(algorithm)
    ? new (await import('./streebog.ts')).Streebog(gostDigests[algorithm].length)
    : createHash(algorithm);
  for await (const chunk of content) hash.update(chunk);
  return hash.digest();
}
