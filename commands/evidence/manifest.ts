import { z } from 'zod';
import { bounded } from '../../core/bounded.ts';
import { EVIDENCE_START } from '../../core/signing/digesting-stream.ts';
import { Refusal } from '../text.ts';
import { LONGEST_PATH, MOST_FILES } from './archive.ts';

/** Everything that the order's record holds, as JSON. */
export const RECORD = 'record.json';
/** The whole archive on one page, for people. */
export const INDEX_PAGE = 'index.html';
/** The manifest of every archive lists these. It lists neither itself nor its signature by the stage's key. */
export const ALWAYS = [RECORD, INDEX_PAGE];
export const MANIFEST = 'manifest.json';
export const MANIFEST_SIGNATURE = 'manifest.json.p7s';

/** The format of the archive. A reader refuses any other. */
export const FORMAT = `${EVIDENCE_START}1`;

// The length is checked first: the regular expression for a time overflows the stack with a long text.
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

/** The manifest and its signature count as files of the archive, too. Files are counted before they are parsed. */
const filesSchema = z
  .array(z.unknown())
  .max(MOST_FILES - 2)
  .pipe(z.array(fileSchema));

const manifestSchema = z.strictObject({ about: aboutSchema, files: filesSchema });

export type About = z.infer<typeof aboutSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
export type ListedFile = Manifest['files'][number];

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
  let value: unknown;
  try {
    value = JSON.parse(String(bytes));
  } catch {
    return { problem: 'It is missing, is not JSON, or is larger than that of any order.' };
  }
  const { data: manifest, error } = manifestSchema.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (!manifest) return { problem: `${bounded(`${issue?.path.join('.') || 'The whole'}: ${issue?.message}`, 500)}.` };
  // Bytes that are not UTF-8 are read as other characters, so the bytes are compared.
  if (!bytes?.equals(Buffer.from(textOf(value)))) return { problem: 'It is not written as we write it.' };
  const paths = new Set(manifest.files.map(({ path }) => path));
  if (paths.size < manifest.files.length) return { problem: 'It lists a file more than once.' };
  const missing = ALWAYS.find((path) => !paths.has(path));
  return missing === undefined ? { manifest } : { problem: `It does not list ${missing}, which every archive has.` };
}
