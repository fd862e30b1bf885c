import type { X509Certificate } from 'node:crypto';
import { readCertificates } from '@business-loan-orders/detached-signatures/certificate-path';
import { readRevocationLists } from '@business-loan-orders/detached-signatures/revocation';
import { isFingerprint } from '@business-loan-orders/detached-signatures/signer-name';
import { z } from 'zod';
import { textOf } from './text-file.ts';
import { fitsEnvironment, whole } from './whole-number.ts';

const KEY_ARN = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/;

/** The ARN of a KMS key. An alias is not enough: rights name the key itself. */
export const keyArn = (error: string) => z.string({ error }).regex(KEY_ARN, { error });

/** Names of signers are part of the environment of functions. Bytes as JSON. */
const [MOST_SIGNERS, LONGEST_SIGNERS] = [50, 1_000] as const;

/** Lists of revoked certificates are long. */
const MOST_PEM_BYTES = 64 * 2 ** 20;

/** Key specs that KMS can sign with: RSA (PKCS #1 v1.5, SHA-256), P-256 (SHA-256), P-384 (SHA-384). */
const keySpecs = ['RSA_2048', 'RSA_3072', 'RSA_4096', 'ECC_NIST_P256', 'ECC_NIST_P384'] as const;

/** A key that the stack creates, or the ARN of an existing one. */
const WRONG_KEY = `must be { create: <${keySpecs.join(' | ')}> } or the ARN of a KMS key`;
const signingKey = z.union([z.strictObject({ create: z.enum(keySpecs) }), keyArn(WRONG_KEY)], { error: WRONG_KEY });

/** PEM text of certificates, or the path of a PEM file. Parsed to the text. */
export const caBundle = z.string().transform((text, context) => {
  try {
    return authoritiesOf(text.includes('-----BEGIN') ? text : readFile(text));
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

/** PEM text of lists of revoked certificates, or the path of a PEM file. Parsed to the text. */
const revocationLists = z.string().transform((text, context) => {
  try {
    const pem = text.includes('-----BEGIN') ? text : readFile(text);
    readRevocationLists(Buffer.from(pem));
    return pem;
  } catch (error) {
    const message = `cannot be read as a list of revoked certificates: ${(error as Error).message}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
});

export const signingSchema = z
  .strictObject({
    mode: z
      .enum(['external', 'kms'])
      .default('external')
      .describe("Who signs when a package does not say: your own signer, or the stage's KMS key."),
    key: signingKey
      .optional()
      .describe(
        'The KMS key that signs documents, and nothing else: one that the stack creates, of this key spec, or the ARN of yours. Required when `mode` is `kms`.',
      ),
    evidenceKey: signingKey
      .optional()
      .describe('The KMS key that signs evidence, and nothing else. Another one than `key`.'),
    gate: z
      .enum(['off', 'check', 'strict'])
      .default('check')
      .describe(
        'Which signatures are sent. `check` refuses wrong ones, `strict` also what `unchecked` would accept, `off` checks none.',
      ),
    unchecked: z
      .enum(['refuse', 'accept'])
      .default('refuse')
      .describe(
        'Whether signatures are sent whose algorithm is not known here: not RSA, ECDSA or GOST R 34.10-2012. Each that is sent is counted, and the first causes an alarm.',
      ),
    signers: z
      .array(z.string().min(1).max(200))
      .min(1, { error: 'must name somebody: leave it out if anybody may sign' })
      .max(MOST_SIGNERS)
      .superRefine((signers, context) => fitsEnvironment(JSON.stringify(signers), LONGEST_SIGNERS, context))
      .optional()
      .describe(
        "Who may sign: each text is an INN, the SHA-256 fingerprint of a certificate, or the certificate's common name. Default: anybody whose certificate is accepted.",
      ),
    caBundle: caBundle
      .optional()
      .describe(
        "The authorities that may have issued the signers' certificates: PEM text, or the path of a PEM file. Default: any.",
      ),
    crl: revocationLists
      .optional()
      .describe(
        'Lists of revoked certificates of these authorities: PEM text, or the path of a PEM file. A revoked signer is refused. An expired list causes an alarm, and `strict` refuses. Default: revocation is not checked.',
      ),
    timeStampAuthorities: caBundle
      .optional()
      .describe(
        'The authorities whose time stamps (CAdES-T) are believed, as `caBundle`: a certificate that has expired since counts if the time stamp is older. Default: none.',
      ),
    largestSignatureBytes: whole(1, 16 * 1024 * 1024)
      .default(1024 * 1024)
      .describe('A larger signature is rejected. A function reads it into memory.'),
    compareDocuments: z
      .boolean()
      .default(true)
      .describe(
        'Whether a document is downloaded once more before its signature is sent, to notice that it has changed.',
      ),
  })
  .refine(({ mode, key }) => mode === 'external' || key !== undefined, {
    error: "is required when mode is kms: give { create: '<key spec>' } or the ARN of a key",
    path: ['key'],
  })
  .refine(({ signers = [], caBundle: authorities }) => authorities !== undefined || signers.every(isFingerprint), {
    error: 'must be fingerprints without signing.caBundle: anybody can issue a certificate with any name and INN',
    path: ['signers'],
  })
  .refine(({ key, evidenceKey }) => typeof key !== 'string' || key !== evidenceKey, {
    error: 'must be another key than signing.key, which signs only what the order service asks for',
    path: ['evidenceKey'],
  })
  .prefault({})
  .describe('How documents are signed, and which signatures are sent (docs/signing.md).');

function readFile(path: string): string {
  try {
    return textOf(path, MOST_PEM_BYTES);
  } catch (error) {
    throw new Error(`is neither PEM text nor the path of a file that can be read: ${(error as Error).message}`);
  }
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
