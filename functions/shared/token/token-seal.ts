import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { AccessToken, Credentials } from './token-request.ts';

/**
 * The shared token is encrypted with a key derived from the client secret (HKDF-SHA-256, RFC 5869; AES-256-GCM): reading
 * the table is not enough to use the token, and a token of rotated credentials no longer opens, so it is replaced.
 */
export function sealToken(token: AccessToken, credentials: Credentials): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(credentials), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(token), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** The token, or undefined when it was sealed under other credentials (or is no sealed token at all). */
export function openToken(sealed: string, credentials: Credentials): AccessToken | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(credentials), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    const opened = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    return JSON.parse(opened.toString('utf8')) as AccessToken;
  } catch {
    // Not an error to report: the caller asks for a new token, which is what this answer means.
    return undefined;
  }
}

function sealingKey(credentials: Credentials): Buffer {
  return Buffer.from(hkdfSync('sha256', credentials.client_secret, credentials.client_id, 'order-service-token', 32));
}
