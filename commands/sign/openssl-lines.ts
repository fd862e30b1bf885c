import type { X509Certificate } from 'node:crypto';
import { certificateParts } from '@business-loan-orders/detached-signatures/certificate-parts';
import { gostDigests } from '@business-loan-orders/detached-signatures/signature-algorithms';
import { MANIFEST_START, MANIFEST_START_BYTES } from '../../core/signing/digesting-stream.ts';
import { LAPTOP_CREDENTIALS, LAPTOP_ENDPOINT, LAPTOP_REGION, type PlaceOptions } from '../shared/place.ts';
import { plain, quoted } from '../shared/text.ts';
import type { DocumentToSign, ToSignPage } from './sign-order.ts';

/** The placeholders for the two files in the command line of a signing program. */
export const [DOCUMENT, SIGNATURE] = ['{document}', '{signature}'] as const;

export interface OpensslFiles {
  /** A file in PEM, or the `pkcs11:` address of a key in a token or an HSM. */
  key: string;
  /** The signer's certificate first; its chain may follow. */
  cert: string;
}

/**
 * Commands for a POSIX shell that do what `sign` does: download each document, compare, sign, and upload the signature. The
 * commands for a document stop at the first failure. Files are written to the current folder.
 */
export function opensslLines(
  options: PlaceOptions,
  page: ToSignPage,
  bucket: string,
  files: OpensslFiles & { digest: string },
): string[] {
  const documents = page.documents.flatMap((document, position) => [
    '',
    `# ${position + 1} of ${page.documents.length}: ${plain(document.fileId)} (${plain(document.contentType)}, ${document.size} bytes)`,
    documentCommand(options, document, bucket, { ...files, file: `${page.orderRef}-${position + 1}` }),
  ]);
  return [...environment(options), ...documents];
}

function environment({ local }: PlaceOptions): string[] {
  if (!local) return [];
  const { accessKeyId, secretAccessKey } = LAPTOP_CREDENTIALS;
  return [
    `export AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey} AWS_DEFAULT_REGION=${LAPTOP_REGION}`,
  ];
}

function documentCommand(
  { local, endpoint = LAPTOP_ENDPOINT }: PlaceOptions,
  { key, versionId, sha256, signature }: DocumentToSign,
  bucket: string,
  { file, ...files }: OpensslFiles & { file: string; digest: string },
): string {
  const aws = local ? `aws --endpoint-url ${quoted(endpoint)}` : 'aws';
  return [
    `${aws} s3api get-object --bucket ${quoted(bucket)} --key ${quoted(key)} --version-id ${quoted(versionId)} ${quoted(file)}`,
    `test "$(openssl dgst -sha256 -r ${quoted(file)} | cut -c 1-64)" = ${quoted(sha256)}`,
    `! head -c ${MANIFEST_START_BYTES} ${quoted(file)} | grep -aqE '${MANIFEST_START}'`,
    ['openssl', ...opensslSignArguments(files, file, `${file}.sig`).map(quoted)].join(' '),
    `${aws} s3 cp ${quoted(`${file}.sig`)} ${quoted(signature)}`,
  ].join(' &&\n  ');
}

/**
 * Makes a detached signature of a file. A key in a token is used by OpenSSL's engine for PKCS #11, so it never leaves the token; a GOST
 * key in a file by the engine `gost`.
 */
export function opensslSignArguments(
  { key, cert, digest }: OpensslFiles & { digest: string },
  file: string,
  signature: string,
): string[] {
  const engine = isInToken(key) ? '-engine pkcs11 -keyform engine' : digest === DIGEST ? '' : '-engine gost';
  const options = `cms -sign -binary -outform DER -md ${digest} ${engine}`.trim().split(' ');
  // `-certfile` holds the signer's certificate too, and OpenSSL 3.0 refuses to add it twice: hence `-nocerts`.
  return [...options, '-signer', cert, '-inkey', key, '-nocerts', '-certfile', cert, '-in', file, '-out', signature];
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
