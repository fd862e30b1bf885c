import type { X509Certificate } from 'node:crypto';
import { certificateParts } from '@business-loan-orders/detached-signatures/certificate-parts';
import { gostDigests } from '@business-loan-orders/detached-signatures/signature-algorithms';
import { quotedFor } from './command-words.ts';

/** The placeholders for the two files in the command line of a signing program. There is `{folder}` for their folder too. */
export const [DOCUMENT, SIGNATURE] = ['{document}', '{signature}'] as const;

/**
 * The option that signs with OpenSSL, to copy into a shell of the platform. A key in a token never leaves it. OpenSSL's engines are
 * separate packages.
 */
export function opensslOption(key: string, cert: string, digest: string, platform: NodeJS.Platform): string {
  const engine = isInToken(key) ? '-engine pkcs11 -keyform engine ' : digest === DIGEST ? '' : '-engine gost ';
  const [own, inkey] = [quotedFor(platform, cert), quotedFor(platform, key)];
  // `-certfile` holds the signer's certificate too, and OpenSSL 3.0 refuses to add it twice: hence `-nocerts`.
  const program = `openssl cms -sign -binary -outform DER -md ${digest} ${engine}-signer ${own} -inkey ${inkey} -nocerts -certfile ${own} -in ${DOCUMENT} -out ${SIGNATURE}`;
  return `--with ${quotedFor(platform, program)}`;
}

const DIGEST = 'sha256';

/** The digests that go with keys of GOST R 34.10-2012, as OpenSSL's engine names them. */
const GOST_DIGESTS = new Map([
  [gostDigests.streebog256.key, 'md_gost12_256'],
  [gostDigests.streebog512.key, 'md_gost12_512'],
]);

/** The digest to sign with, as OpenSSL names it. */
export function digestFor(certificate: X509Certificate): string {
  return GOST_DIGESTS.get(certificateParts(certificate).keyAlgorithm) ?? DIGEST;
}

/** Whether it is a GOST R 34.10-2012 key, with which Node cannot sign. */
export const isGost = (certificate: X509Certificate) => digestFor(certificate) !== DIGEST;

/** Whether the key is the address of a key in a token (RFC 7512). */
export function isInToken(key: string): boolean {
  return key.startsWith('pkcs11:');
}
