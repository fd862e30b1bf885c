import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { AccessToken, Credentials } from './token-request.ts';

/**
 * Encrypts the shared token (AES-256-GCM) with a key derived from the client secret (HKDF-SHA-256, RFC 5869). So reading
 * the table is not enough to use the token. After a rotation of the credentials the token cannot be decrypted, and is replaced.
 */
export function sealToken(token: AccessToken, credentials: Credentials): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(credentials), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(token), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Decrypts the token; undefined if it was encrypted with other credentials, or is not an encrypted token. */
export function openToken(sealed: string, credentials: Credentials): AccessToken | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(credentials), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    const opened = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    return JSON.parse(opened.toString('utf8')) as AccessToken;
  } catch {
    // Not an error: the caller then requests a new token.
    return undefined;
  }
}

function sealingKey(credentials: Credentials): Buffer {
  return Buffer.from(hkdfSync('sha256', credentials.client_secret, credentials.client_id, 'order-service-token', 32));
}
