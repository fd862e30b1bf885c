import { createHash, type X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { issuedBy } from '../../packages/detached-signatures/certificate-path.ts';
import { bounded } from '../../core/limits.ts';
import { EVIDENCE_START } from '../../core/signing/evidence-start.ts';
import { Refusal } from '../refusal.ts';
import { MOST_FILES } from './archive.ts';
import { ALWAYS, MANIFEST, MANIFEST_SIGNATURE } from './contents.ts';
import type { Fault } from './faults.ts';
import { checkDetached, oneLine, readSigners } from './signatures.ts';

/** The format of the archive. A reader refuses any other. */
export const FORMAT = `${EVIDENCE_START}1`;

// The length first: the expression of a time overflows the stack over a long text.
const time = z.string().max(40).pipe(z.iso.datetime());
/** A key of S3 has at most 1,024 bytes. */
const shortText = z.string().max(1_024);
/** A path has three characters for each byte of a key that is encoded, and the folders before it. */
const filePath = z.string().max(4_096);

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
  /** The document that a detached signature signs, and when the signature was on its way to the order service. */
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

/**
 * The one text of a manifest.
 * @throws Refusal when the check would not read it.
 */
export function manifestText(manifest: Manifest): string {
  const text = textOf(manifest);
  const read = readManifest(Buffer.from(text));
  if ('problem' in read)
    throw new Refusal(`The check would not read its manifest: no archive was written. ${read.problem}`);
  return text;
}

function textOf(manifest: unknown): string {
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** A manifest of 10,000 files with usual names has 6 MB. What is larger is not read into memory. */
export const LARGEST_PAGE = 8 * 1024 * 1024;
const MOST_VALUES = 200_000;
const SEPARATORS = new Set([...',[{'].map((one) => one.charCodeAt(0)));

/** The manifest in this file, or what is wrong with it. */
export function readManifest(bytes: Buffer): Manifest | { problem: string } {
  const value = jsonOf(bytes) as { files?: unknown[] } | undefined | null;
  const count = Array.isArray(value?.files) ? value.files.length : 0;
  if (!value || count > MOST_FILES) return { problem: 'It is not JSON, or larger than that of any order.' };
  const { data, error } = manifestSchema.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (!data) return { problem: `${bounded(`${issue?.path.join('.') || 'The whole'}: ${issue?.message}`, 500)}.` };
  // Bytes that are no UTF-8 are read as other characters, so the bytes are compared.
  if (!Buffer.from(textOf(value)).equals(bytes)) return { problem: 'It is not written as we write it.' };
  const paths = new Set(data.files.map(({ path }) => path));
  if (paths.size < count) return { problem: 'It lists a file more than once.' };
  const missing = ALWAYS.find((path) => !paths.has(path));
  return missing === undefined ? data : { problem: `It does not list ${missing}, which every archive has.` };
}

/**
 * The value of JSON; undefined if it is none, is too large, or was made to fill the memory: an empty object of two bytes takes 56, so what
 * separates values is counted first.
 */
function jsonOf(bytes: Buffer): unknown {
  let values = 0;
  for (const byte of bytes) if (SEPARATORS.has(byte)) values += 1;
  if (bytes.length > LARGEST_PAGE || values > MOST_VALUES) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
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
  { signed, writtenAt }: About,
  manifest: Buffer,
  signature: Buffer | undefined,
  trusted: readonly X509Certificate[],
): Promise<{ signer?: X509Certificate; fault?: Fault }> {
  const wrong = (fault: Fault['fault'], message: string) => ({ fault: { file: MANIFEST_SIGNATURE, fault, message } });
  if (!signature) {
    if (!signed && trusted.length === 0) return {};
    const why = signed
      ? `${MANIFEST} says that it is signed`
      : 'You gave a certificate, but the manifest is not signed';
    return wrong('manifest signature missing', `${why}.`);
  }
  const content = signedBytes(manifest);
  const digest = async (algorithm: string) => createHash(algorithm).update(content).digest();
  const now = new Date(writtenAt);
  const verdict = await checkDetached(signature, { digest, open: async () => Readable.from([content]) }, now);
  const { certificates } = readSigners(signature);
  const [signer] = certificates;
  const problem = verdict.passed ? verdict.note : verdict.problem;
  if (problem !== undefined || !signer)
    return wrong('manifest signature wrong', `The manifest was changed, or its signature was. ${problem ?? ''}`.trim());
  if (trusted.length === 0 || issuedBy(trusted, certificates, now).has(signer)) return { signer };
  return wrong(
    'certificate wrong',
    `It was signed by ${oneLine(signer.subject)}, whose certificate is not the one of --cert, nor issued by it.`,
  );
}
