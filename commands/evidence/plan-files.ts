import { fileNames } from '../documents/file-names.ts';
import type { OrderFile } from '../stage/evidence-source.ts';
import { OPERATION_PREFIX, type OrderDetails, type StagedDocument } from '../stage/record.ts';
import type { Signs } from './manifest.ts';
import { folded, numbered, otherPath, pathOf, safePath } from './paths.ts';

/** A file of the archive that comes from a bucket. */
export interface PlannedFile {
  path: string;
  what: string;
  file: OrderFile;
  /** The digest that the record gives. */
  sha256?: string;
  signs?: Signs;
}

type Planned = Omit<PlannedFile, 'file'>;

/**
 * Which version of which file is where in the archive. The versions that the order went by have the plain names: the package that was
 * accepted, the documents to sign, the signatures that were sent. Every other version that is still there is below `other-versions/`.
 */
export function planFiles(details: OrderDetails, files: readonly OrderFile[]): PlannedFile[] {
  const known = knownVersions(details);
  const found = files.flatMap((file) => (known.get(idOf(file)) ?? []).map((planned) => ({ ...planned, file })));
  const named = differing(found.map((planned) => withoutGone(planned, found)));
  const others = files.filter((file) => !known.has(idOf(file)));
  const taken = new Set(named.map(({ path }) => folded(path)));
  for (const file of others.filter(({ isLatest }) => isLatest)) {
    const { path, what } = pathOf(file);
    if (taken.has(folded(path))) continue;
    taken.add(folded(path));
    named.push({ path, what, file });
  }
  const placed = new Set(named.map(({ file }) => idOf(file)));
  return [...named, ...otherVersions(others.filter((file) => !placed.has(idOf(file))))].sort((one, other) =>
    rank(one.path) === rank(other.path) ? compare(one.path, other.path) : rank(one.path) - rank(other.path),
  );
}

/** A signature whose document is no longer there cannot be checked in the archive. */
function withoutGone({ signs, ...planned }: PlannedFile, found: readonly PlannedFile[]): PlannedFile {
  if (!signs) return planned;
  if (found.some(({ path }) => path === signs.document)) return { ...planned, signs };
  return { ...planned, what: `${planned.what}; its document was removed before` };
}

/** Gives a number to a path that another one equals but for case: not every file system could hold both. */
function differing(files: readonly PlannedFile[]): PlannedFile[] {
  const taken = new Set<string>();
  return files.map((file) => {
    for (let count = 1; ; count += 1) {
      const path = count === 1 ? file.path : numbered(file.path, count);
      if (taken.has(folded(path))) continue;
      taken.add(folded(path));
      return { ...file, path };
    }
  });
}

/** The files that the record names, by bucket, key and version. A signature may have been sent in two rounds. */
function knownVersions(details: OrderDetails): Map<string, Planned[]> {
  const { order, toSign, operations } = details;
  const folder = `orders/${order.orderRef}`;
  const known = new Map<string, Planned[]>();
  const add = (id: string, planned: Planned) => void known.set(id, [...(known.get(id) ?? []), planned]);
  add(`intake ${folder}/order.json ${order.packageVersionId}`, {
    path: 'package/order.json',
    what: 'the package as it was accepted',
  });
  for (const { file, versionId, docType } of order.documents)
    add(`intake ${folder}/${file} ${versionId}`, {
      path: `package/${safePath(file)}`,
      what: `document of the package, ${docType}`,
    });
  const staged = namedDocuments(toSign);
  for (const { key, versionId, sha256, round, path } of staged)
    add(`staging ${key} ${versionId}`, { path, what: `document to sign, round ${round}`, sha256 });
  for (const { item, intendedAt, knowledge } of operations) {
    const sent = signatureOf(item);
    const document = staged.find(({ fileId, round }) => fileId === sent?.fileId && round === sent?.round);
    // A signature that was not sent may be that of an earlier document.
    if (!sent || !document || knowledge.state === 'none') continue;
    const path = document.path.replace(/^to-sign/, 'signatures');
    const isSent = knowledge.state === 'done';
    add(`signature ${sent.versionId}`, {
      path: `${path}.p7s`,
      what: `signature that was ${isSent ? 'sent' : 'perhaps sent'}, round ${sent.round}`,
      signs: { document: document.path, sentAt: intendedAt },
    });
  }
  return known;
}

/** The documents to sign with their paths. No two have the same name. */
export function namedDocuments(toSign: readonly StagedDocument[]): (StagedDocument & { path: string })[] {
  const names = fileNames(toSign);
  return toSign.map((document, at) => ({ ...document, path: `to-sign/round-${document.round}/${names[at]}` }));
}

/** The signature that an operation sent: its round, the file that it signs, and its version in intake. */
function signatureOf(item: string) {
  const [, round, fileId = '', versionId = ''] =
    /^upload-signature#(\d+)#(.+)@([^@]*)$/s.exec(item.slice(OPERATION_PREFIX.length)) ?? [];
  return round === undefined ? undefined : { round: Number(round), fileId, versionId };
}

/** A signer may write a key in more than one way, so a signature is known by its version alone. */
function idOf({ bucket, key, versionId }: OrderFile): string {
  const isSignature = bucket === 'intake' && /^orders\/[^/]+\/signatures\//.test(key);
  return isSignature ? `signature ${versionId}` : `${bucket} ${key} ${versionId}`;
}

/** The other versions of each file, numbered from the oldest. */
function otherVersions(files: readonly OrderFile[]): PlannedFile[] {
  const counts = new Map<string, number>();
  // S3 lists the newest version first.
  return files.toReversed().map((file) => {
    const { path, what } = pathOf(file);
    const count = (counts.get(folded(path)) ?? 0) + 1;
    counts.set(folded(path), count);
    return { path: otherPath(path, count), what: `${what}, another version`, file };
  });
}

const ORDER = ['package', 'to-sign', 'signatures', 'offers', 'decisions', 'answers', 'other', 'other-versions'];

function rank(path: string): number {
  return ORDER.indexOf(path.split('/', 1)[0] ?? '');
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
