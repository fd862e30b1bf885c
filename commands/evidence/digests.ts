import { createHash } from 'node:crypto';

/** The digest of a stream. */
export async function digestOfStream(stream: AsyncIterable<Uint8Array>, algorithm: string): Promise<Buffer> {
  const hash = createHash(algorithm);
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest();
}
