import { createHash } from 'node:crypto';

/** S3's limit for a key, in bytes of UTF-8. */
export const LONGEST_KEY = 1_024;
/** Bytes that a shortened key keeps. A digest and `.json` follow. */
const KEPT_OF_KEY = 900;

/** The key, or a shorter one if it is too long for S3. A page about a file has the file's name, and percent-encoding makes it longer. */
export function fittingKey(key: string): string {
  if (Buffer.byteLength(key) <= LONGEST_KEY) return key;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const kept = Buffer.from(key)
    .subarray(0, KEPT_OF_KEY)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  return `${kept}~${digest}.json`;
}
