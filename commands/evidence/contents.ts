import { posix } from 'node:path';
import { fileNames } from '../shared/file-names.ts';
import { OPERATION_PREFIX, type OrderDetails } from '../shared/order-details.ts';
import type { ListedFile } from './archive.ts';

/** A readable version of an order's file, in one of the stage's buckets. */
export interface OrderFile {
  bucket: 'intake' | 'staging';
  key: string;
  versionId: string;
  /** Bytes. */
  size: number;
  /** When S3 stored it: ISO 8601 in UTC. */
  storedAt: string;
  isLatest: boolean;
}

/** For files that the record does not name: their folder in the archive, and a description. The first matching pattern wins. */
const STORED: [bucketAndFile: RegExp, folder: string, what: string][] = [
  [/^intake order\.json$/, 'package', 'a package'],
  [/^intake documents\//, 'package', 'a file of the package'],
  [/^intake signatures\//, 'signatures', 'a signature that was not sent'],
  [/^intake decision\.json$/, 'decisions', 'a decision on the offers'],
  [/^staging to-sign\//, 'to-sign', 'a document to sign that was replaced'],
  [/^staging to-sign\.json$/, 'answers', 'what was asked to be signed'],
  [/^staging signatures-(rejected|unchecked)\//, 'answers', 'the answer to a signature'],
  [/^staging offers\.json$/, 'offers', "the banks' offers, as the order service sent them"],
  [/^staging choices\.json$/, 'decisions', 'the choices and what became of them'],
  [/^staging decision-rejected\.json$/, 'decisions', 'why a decision was refused'],
  [/^staging snapshot\.json$/, 'answers', 'an answer of the order service'],
  [/^staging errors\//, 'answers', 'an answer of the order service that refused a call'],
  [/^staging issues\.json$/, 'answers', 'what the order service objected to'],
  [/^staging status\.json$/, 'answers', 'the status, as it was shown'],
];

interface ArchivedAs {
  folder: string;
  name: string;
  what: string;
  signs?: ListedFile['signs'];
  /** The digest in the record. */
  sha256?: string;
}

/**
 * Gives each version of each file its path in the archive. The versions that the order used are in the main folders: the package that was
 * accepted, the documents to sign, the signatures that were sent. Every other version is in `other-versions/`.
 */
export function planFiles(details: OrderDetails, files: readonly OrderFile[]) {
  const used = usedVersions(details);
  const keyOf = ({ bucket, key }: OrderFile) => `${bucket} ${key}`;
  const usedKeys = new Set(files.filter((file) => used.has(idOf(file))).map(keyOf));
  // S3 lists the newest version first.
  const placed = files.toReversed().flatMap((file) => {
    const places = used.get(idOf(file)) ?? [storedAs(file, file.isLatest && !usedKeys.has(keyOf(file)))];
    return places.map((place) => ({ ...place, file }));
  });
  // Names that every file system can store together.
  const names = fileNames(placed.map(({ folder, name }) => ({ folder, name, fileId: name, contentType: '' })));
  const paths = placed.map(({ folder }, at) => posix.join(folder, names[at] ?? ''));
  const planned = placed.map(({ folder: _folder, name: _name, signs, ...rest }, at) => {
    const file = { ...rest, path: paths[at] ?? '', signs };
    if (!signs || paths.includes(signs.document)) return file;
    // This signature cannot be checked in the archive, because its document is not there.
    return { ...file, signs: undefined, what: `${rest.what}; its document was removed before` };
  });
  return planned.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The versions that the record names. A signature may have been sent in two rounds. */
function usedVersions({ order, toSign, operations }: OrderDetails): Map<string, ArchivedAs[]> {
  const used = new Map<string, ArchivedAs[]>();
  const add = (id: string, place: ArchivedAs) => used.set(id, [...(used.get(id) ?? []), place]);
  const inIntake = (file: string, versionId: string, what: string) =>
    add(`intake orders/${order.orderRef}/${file} ${versionId}`, { folder: 'package', name: nameIn(file), what });
  inIntake('order.json', order.packageVersionId, 'the package as it was accepted');
  for (const { file, versionId, docType } of order.documents)
    inIntake(file, versionId, `document of the package, ${docType}`);
  const names = fileNames(toSign);
  const staged = toSign.map((document, at) => ({ ...document, name: names[at] ?? '' }));
  for (const { key, versionId, sha256, round, name } of staged) {
    const what = `document to sign, round ${round}`;
    add(`staging ${key} ${versionId}`, { folder: `to-sign/round-${round}`, name, what, sha256 });
  }
  for (const { item, intendedAt, knowledge } of operations) {
    const [, round, fileId, versionId] =
      /^upload-signature#(\d+)#(.+)@([^@]*)$/s.exec(item.slice(OPERATION_PREFIX.length)) ?? [];
    const document = staged.find((one) => one.fileId === fileId && one.round === Number(round));
    // An unsent signature may belong to an earlier document.
    if (!document || knowledge.state === 'none') continue;
    add(`signature ${versionId}`, {
      folder: `signatures/round-${round}`,
      name: `${document.name}.p7s`,
      what: `signature that was ${knowledge.state === 'done' ? 'sent' : 'perhaps sent'}, round ${round}`,
      signs: { document: `to-sign/round-${round}/${document.name}`, sentAt: intendedAt },
    });
  }
  return used;
}

/** A signer may write a key in more than one way, so a signature is identified by its version alone. */
function idOf({ bucket, key, versionId }: OrderFile): string {
  const isSignature = bucket === 'intake' && /^orders\/[^/]+\/signatures\//.test(key);
  return isSignature ? `signature ${versionId}` : `${bucket} ${key} ${versionId}`;
}

/** The path of a file that the record does not name. */
function storedAs({ bucket, key }: OrderFile, isCurrent: boolean): ArchivedAs {
  const file = key.split('/').slice(2).join('/');
  const found = STORED.find(([bucketAndFile]) => bucketAndFile.test(`${bucket} ${file}`));
  const [, folder, what] = found ?? [file, 'other', 'another file'];
  const name = nameIn(file);
  return isCurrent ? { folder, name, what } : { folder: 'other-versions', name, what: `${what}, another version` };
}

/** The name of a file without its first folder, which the folder of the archive replaces. */
function nameIn(file: string): string {
  return file.replace(/^[^/]+\/(?=.)/, '');
}
