import { createHash, type X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { issuedBy } from '@business-loan-orders/detached-signatures/certificate-path';
import { z } from 'zod';
import { bounded } from '../../core/fixed-limits.ts';
import { EVIDENCE_START } from '../../core/signing/digesting-stream.ts';
import { Refusal } from '../refusal.ts';
import { LONGEST_PATH, MOST_FILES } from './archive.ts';
import { ALWAYS, MANIFEST_SIGNATURE } from './contents.ts';
import type { ArchiveFault } from './faults.ts';
import { certificatesOf, checkDetached, oneLine } from './signatures.ts';

/** The format of the archive. A reader refuses any other. */
export const FORMAT = `${EVIDENCE_START}1`;

// The length first: the expression of a time overflows the stack over a long text.
const time = z.string().max(40).pipe(z.iso.datetime());
/** A key of S3 has at most 1,024 bytes. */
const shortText = z.string().max(1_024);
const filePath = z.string().max(LONGEST_PATH);

const fileSchema = z.strictObject({
  path: filePath,
  /** What it is, for people. */
  what: shortText,
  /** Bytes. */
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Where it comes from, and when S3 stored it. */
  source: z
    .strictObject({ bucket: z.enum(['intake', 'staging']), key: shortText, versionId: shortText, storedAt: time })
    .optional(),
  signs: z.strictObject({ document: filePath, sentAt: time }).optional(),
});

/** What the manifest says of the archive itself. */
const aboutSchema = z.strictObject({
  format: z.literal(FORMAT),
  orderRef: shortText,
  stage: shortText,
  writtenAt: time,
  /** The access key of who wrote the archive. CloudTrail knows whose key it is. */
  writtenBy: shortText,
  /** Whether `manifest.json.p7s` signs the manifest. */
  signed: z.boolean(),
  unsignedBecause: shortText.optional(),
});

const manifestSchema = z.strictObject({ about: aboutSchema, files: z.array(fileSchema) });

export type About = z.infer<typeof aboutSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
export type ListedFile = Manifest['files'][number];

/** What the signature of a manifest signs: the format in a line of its own, then the manifest. No document may begin with this line. */
export function signedBytes(manifest: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${FORMAT}\n`), manifest]);
}

const textOf = (manifest: unknown) => `${JSON.stringify(manifest, undefined, 2)}\n`;

/**
 * The one text of a manifest.
 * @throws Refusal when the check would not read it.
 */
export function manifestText(manifest: Manifest): string {
  const text = textOf(manifest);
  const { problem } = readManifest(Buffer.from(text));
  if (problem === undefined) return text;
  throw new Refusal(`The check would not read its manifest: no archive was written. ${problem}`);
}

/** The manifest in this file, or what is wrong with it. */
export function readManifest(bytes: Buffer | undefined): { manifest?: Manifest; problem?: string } {
  const value = bytes && parsed(String(bytes));
  const { files = [] } = value ?? {};
  if (!value || files.length > MOST_FILES)
    return { problem: 'It is missing, no JSON, or larger than that of any order.' };
  const { data: manifest, error } = manifestSchema.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (!manifest) return { problem: `${bounded(`${issue?.path.join('.') || 'The whole'}: ${issue?.message}`, 500)}.` };
  // Bytes that are no UTF-8 are read as other characters, so the bytes are compared.
  if (!Buffer.from(textOf(value)).equals(bytes)) return { problem: 'It is not written as we write it.' };
  const paths = new Set(manifest.files.map(({ path }) => path));
  if (paths.size < files.length) return { problem: 'It lists a file more than once.' };
  const missing = ALWAYS.find((path) => !paths.has(path));
  return missing === undefined ? { manifest } : { problem: `It does not list ${missing}, which every archive has.` };
}

function parsed(text: string): { files?: unknown[] } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Checks the signature of a manifest.
 * @param signature undefined if the archive has none.
 * @param trusted the certificates that the signer's must be one of, or be issued by. Empty: any.
 * @returns who signed it, or what is wrong with the signature.
 */
export async function checkManifestSignature(
  { about: { signed, writtenAt }, content }: { about: About; content: Buffer },
  signature: Buffer | undefined,
  trusted: readonly X509Certificate[],
): Promise<{ signer?: X509Certificate; faults: ArchiveFault[] }> {
  const wrong = (fault: ArchiveFault['fault'], message: string) => ({
    faults: [{ file: MANIFEST_SIGNATURE, fault, message }],
  });
  if (!signature && (signed || trusted.length > 0))
    return wrong('manifest signature missing', 'The manifest says that it is signed, or you gave a certificate.');
  if (!signature) return { faults: [] };
  const bytes = signedBytes(content);
  const digest = async (algorithm: string) => createHash(algorithm).update(bytes).digest();
  const now = new Date(writtenAt);
  const verdict = await checkDetached(signature, { digest, open: async () => Readable.from([bytes]) }, now);
  const certificates = certificatesOf(signature);
  const [signer] = certificates;
  const problem = verdict.passed ? verdict.note : verdict.problem;
  if (problem !== undefined || !signer)
    return wrong('manifest signature wrong', `The manifest was changed, or its signature was. ${problem}`);
  if (trusted.length === 0 || issuedBy(trusted, certificates, now).has(signer)) return { signer, faults: [] };
  const who = `It was signed by ${oneLine(signer.subject)}`;
  return wrong('certificate wrong', `${who}, whose certificate is not the one of --cert, nor issued by it.`);
}
