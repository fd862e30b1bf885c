import type { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readCertificates } from '../packages/detached-signatures/certificate-path.ts';
import { keyArn } from './encryption-settings.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Key specs that KMS can sign with: RSA (PKCS #1 v1.5, SHA-256), P-256 (SHA-256), P-384 (SHA-384). */
const keySpecs = ['RSA_2048', 'RSA_3072', 'RSA_4096', 'ECC_NIST_P256', 'ECC_NIST_P384'] as const;

/** A key that the stack creates, or the ARN of an existing one. */
const signingKey = z.union([z.strictObject({ create: z.enum(keySpecs) }), keyArn]);

/** PEM text of certificates, or the path of a PEM file from the root of the project. Parsed to the text. */
export const caBundle = z.string().transform((text, context) => {
  try {
    return authoritiesOf(text.includes('-----BEGIN') ? text : readFile(text));
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

/** How documents are signed, and which signatures are sent. */
export const signingSchema = z
  .strictObject({
    /** Who signs when a package does not say: the partner's own signer, or KMS. */
    mode: z.enum(['external', 'kms']),
    /** The asymmetric KMS key that signs documents, and nothing else. */
    key: signingKey.optional(),
    /** The asymmetric KMS key that signs evidence, and nothing else. */
    evidenceKey: signingKey.optional(),
    /** `check` refuses wrong signatures, `strict` also those that can't be checked here (GOST), `off` checks none. */
    gate: z.enum(['off', 'check', 'strict']),
    /** The authorities that may have issued the signers' certificates. Default: any. */
    caBundle: caBundle.optional(),
    /** Bytes. A function reads a signature into memory. */
    largestSignatureBytes: z
      .int()
      .min(1)
      .max(16 * 1024 * 1024),
    /** Whether a document is downloaded once more before its signature is sent, to notice that it has changed. */
    compareDocuments: z.boolean(),
  })
  .refine(({ mode, key }) => mode === 'external' || key !== undefined, {
    error: "is required when mode is kms: give { create: '<key spec>' } or the ARN of a key",
    path: ['key'],
  })
  .refine(({ key, evidenceKey }) => typeof key !== 'string' || key !== evidenceKey, {
    error: 'must be another key than signing.key: the order service names the documents which that one signs',
    path: ['evidenceKey'],
  });

export type SigningSettings = z.infer<typeof signingSchema>;

function readFile(path: string): string {
  const file = `${root}${path}`;
  if (!existsSync(file)) throw new Error(`is neither PEM text nor the path of a file: ${file} does not exist`);
  return readFileSync(file, 'utf8');
}

/** The certificates without the comments that a bundle often has between them. */
function authoritiesOf(pem: string): string {
  const certificates = readCertificates(pem);
  if (certificates.length === 0) throw new Error('has no certificate in PEM');
  const other = certificates.find(({ ca }) => !ca);
  if (other) throw new Error(`has a certificate that is not an authority's: ${oneLine(other)}`);
  return certificates.map((certificate) => certificate.toString()).join('');
}

function oneLine({ subject }: X509Certificate): string {
  return subject.replaceAll('\n', ', ');
}
