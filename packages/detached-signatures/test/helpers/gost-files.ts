import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCertificates } from '../../certificate-path.ts';

const folder = fileURLToPath(new URL('../gost/files/', import.meta.url));

/** Files that OpenSSL made. */
export const kept = {
  bytes: (name: string): Buffer => readFileSync(join(folder, name)),
  authority: (name: string): X509Certificate =>
    readCertificates(kept.bytes(`${name}.pem`).toString())[0] as X509Certificate,
};
