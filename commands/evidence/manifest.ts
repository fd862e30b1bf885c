import { z } from 'zod';
import { bounded } from '../../core/limits.ts';
import { EVIDENCE_START } from '../../core/signing/evidence-start.ts';
import { Refusal } from '../refusal.ts';
import { MOST_FILES } from './archive-format.ts';
import { chainStart, type Linked, linked } from './hash-chain.ts';
import { parsePage } from './pages.ts';

/** The names of the files that are not listed in the manifest. */
export const MANIFEST = 'manifest.json';
export const MANIFEST_SIGNATURE = 'manifest.json.p7s';

export const INDEX_PAGE = 'index.html';
export const TIMELINE = 'record/timeline.json';
export const ORDER = 'record/order.json';

/** The format of the archive. A reader refuses any other. */
export const FORMAT = `${EVIDENCE_START}1`;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
// The length first: the expression of a time overflows the stack over a long text.
const time = z.string().max(40).pipe(z.iso.datetime());
/** A key of S3 has at most 1,024 bytes. */
const shortText = z.string().max(1_024);
/** A path has three characters for each byte of a key that is encoded, and the folders before it. */
const filePath = z.string().max(4_096);

/** Where a file comes from. */
const sourceSchema = z.strictObject({
  bucket: z.enum(['intake', 'staging']),
  key: shortText,
  versionId: shortText,
  /** When S3 stored it. */
  storedAt: time,
});

/** The document that a detached signature signs, and when the signature was on its way to the order service. */
const signsSchema = z.strictObject({ document: filePath, sentAt: time });

const fileSchema = z.strictObject({
  path: filePath,
  /** What it is, for people. */
  what: shortText,
  /** Bytes. */
  size: z.int().min(0),
  sha256,
  source: sourceSchema.optional(),
  signs: signsSchema.optional(),
  chain: sha256,
});

/** What the manifest says of the archive itself. The chain begins with it. */
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
  /** How many lines the timeline has, and the last hash of its chain. */
  timeline: z.strictObject({ lines: z.int().min(0), head: sha256 }),
});

const manifestSchema = z.strictObject({
  about: aboutSchema,
  files: z.array(fileSchema),
  /** The last hash of the chain of files. It fixes everything in the archive. */
  head: sha256,
});

export type About = z.infer<typeof aboutSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestFile = Manifest['files'][number];
export type FileSource = NonNullable<ManifestFile['source']>;
export type Signs = NonNullable<ManifestFile['signs']>;

export function manifestOf(about: About, files: readonly Omit<ManifestFile, 'chain'>[]): Manifest {
  const start = chainStart(about);
  const links: Linked<Omit<ManifestFile, 'chain'>>[] = linked(start, files);
  return { about, files: links, head: links.at(-1)?.chain ?? start };
}

/** What the signature of a manifest signs: the format in a line of its own, then the manifest. No document may begin with this line. */
export function signedBytes(manifest: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${FORMAT}\n`), manifest]);
}

/** The one text of a manifest. */
export function manifestText(manifest: unknown): string {
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** The manifest in this file, or what is wrong with it. */
export function readManifest(bytes: Buffer): Manifest | { problem: string } {
  const value = parsePage(bytes) as { files?: unknown[] } | undefined | null;
  const count = Array.isArray(value?.files) ? value.files.length : 0;
  if (!value || count > MOST_FILES) return { problem: 'It is not JSON, or larger than that of any order.' };
  const { data, error } = manifestSchema.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (!data) return { problem: `${bounded(`${issue?.path.join('.') || 'The whole'}: ${issue?.message}`, 500)}.` };
  // Bytes that are no UTF-8 are read as other characters, so the bytes are compared.
  if (!Buffer.from(manifestText(value)).equals(bytes)) return { problem: 'It is not written as we write it.' };
  return data;
}

/**
 * The text as it came, if the check reads it: it would call a manifest, an order or a timeline that is too large a fault.
 * @throws Refusal otherwise.
 */
export function readable(path: string, text: string): string {
  const bytes = Buffer.from(text);
  const isPage = path === TIMELINE || path === ORDER;
  const manifest = path === MANIFEST ? readManifest(bytes) : {};
  const problem = isPage && parsePage(bytes) === undefined ? 'It is larger than that of any order.' : undefined;
  const why = 'problem' in manifest ? manifest.problem : problem;
  if (why !== undefined) throw new Refusal(`The check would not read ${path} (${why}): no archive was written.`);
  return text;
}
