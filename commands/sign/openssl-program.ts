import type { X509Certificate } from 'node:crypto';
import { certificateParts } from '@business-loan-orders/detached-signatures/certificate-parts';
import { gostDigests } from '@business-loan-orders/detached-signatures/signature-algorithms';
import { quoted } from '../shared/text.ts';

/** The placeholders for the two files in the command line of a signing program. There is `{folder}` for their folder too. */
export const [DOCUMENT, SIGNATURE] = ['{document}', '{signature}'] as const;

/** The digests that go with keys of GOST R 34.10-2012, as OpenSSL's engine names them. */
const GOST_DIGESTS = new Map([
  [gostDigests.streebog256.key, 'md_gost12_256'],
  [gostDigests.streebog512.key, 'md_gost12_512'],
]);

/** The option that signs with an engine of OpenSSL, for a shell of the platform. Undefined if this command can sign with the key itself. */
export function opensslOption(key: string, cert: string, certificate: X509Certificate, platform = process.platform) {
  const digest = GOST_DIGESTS.get(certificateParts(certificate).keyAlgorithm);
  const isInToken = key.startsWith('pkcs11:');
  if (!isInToken && !digest) return undefined;
  const engine = isInToken ? 'pkcs11 -keyform engine' : 'gost';
  const quote = platform === 'win32' ? windowsQuoted : quoted;
  // `-certfile` holds the signer's certificate too, and OpenSSL 3.0 refuses to add it twice: hence `-nocerts`.
  const files = `-signer ${quote(cert)} -inkey ${quote(key)} -nocerts -certfile ${quote(cert)} -in ${DOCUMENT} -out ${SIGNATURE}`;
  const options = `-binary -outform DER -md ${digest ?? 'sha256'} -engine ${engine}`;
  return `--with ${quote(`openssl cms -sign ${options} ${files}`)}`;
}

/** For cmd.exe and PowerShell. Windows allows no double quote in a path. */
const windowsQuoted = (word: string) => (/[\s"]/.test(word) ? `"${word.replaceAll('"', String.raw`\"`)}"` : word);
