import type { StoredVersion } from '../../core/aws/object-versions.ts';
import { fileNames } from '../documents/file-names.ts';
import type { Execution } from '../stage/executions.ts';
import { OPERATION_PREFIX, type OrderDetails } from '../stage/record.ts';

/** A version of a file of an order, in one of the stage's buckets. */
export interface OrderFile extends StoredVersion {
  bucket: 'intake' | 'staging';
}

/** The folders of an archive, in their order. */
const FOLDERS = ['package', 'to-sign', 'signatures', 'offers', 'decisions', 'answers', 'other', 'other-versions'];

/** Where files of intake and of staging are in the archive, and what they are. The first pattern that fits counts. */
const STORED: [bucket: OrderFile['bucket'], pattern: RegExp, folder: string, what: string][] = [
  ['intake', /^order\.json$/, 'package', 'a package'],
  ['intake', /^documents\//, 'package', 'a file of the package'],
  ['intake', /^signatures\//, 'signatures', 'a signature that was not sent'],
  ['intake', /^decision\.json$/, 'decisions', 'a decision on the offers'],
  ['staging', /^to-sign\//, 'to-sign', 'a document to sign that was replaced'],
  ['staging', /^to-sign\.json$/, 'answers', 'what was asked to be signed'],
  ['staging', /^signatures-(rejected|unchecked)\//, 'answers', 'the answer to a signature'],
  ['staging', /^offers\.json$/, 'offers', "the banks' offers, as the order service sent them"],
  ['staging', /^choices\.json$/, 'decisions', 'the choices and what became of them'],
  ['staging', /^decision-rejected\.json$/, 'decisions', 'why a decision was refused'],
  ['staging', /^snapshot\.json$/, 'answers', 'an answer of the order service'],
  ['staging', /^errors\//, 'answers', 'an answer of the order service that refused a call'],
  ['staging', /^issues\.json$/, 'answers', 'what the order service objected to'],
  ['staging', /^status\.json$/, 'answers', 'the status, as it was shown'],
];

/** What the record says, as files of the archive. No task token and no access token is in it. */
export const RECORDED: [path: string, what: string, content: (details: OrderDetails, runs: Execution[]) => unknown][] =
  [
    ['record/executions.json', 'the runs that drove the order', (_details, runs) => runs],
    ['record/operations.json', 'what is known of each call that changes something', ({ operations }) => operations],
    [
      'record/order.json',
      'what the record says of the order',
      ({ order, decision }) => ({ ...order, choices: decision?.choices }),
    ],
    ['record/timeline.json', 'the timeline', ({ timeline }) => timeline],
    ['record/to-sign.json', 'the documents to sign of all rounds', ({ toSign }) => toSign],
  ];

/** Made of all of them, for people. */
export const INDEX_PAGE = 'index.html';

/** Files that the manifest of every archive lists. */
export const ALWAYS = [...RECORDED.map(([path]) => path), INDEX_PAGE];

/** What no manifest lists: the list itself, and its signature by the stage's key. */
export const MANIFEST = 'manifest.json';
export const MANIFEST_SIGNATURE = 'manifest.json.p7s';

/** The document that a detached signature signs, and when the signature was on its way to the order service. */
export interface Signs {
  document: string;
  sentAt: string;
}

/** Where a file is in the archive. */
interface ArchivedAs {
  folder: string;
  name: string;
  what: string;
  signs?: Signs;
  /** The digest that the record gives. */
  sha256?: string;
}

/**
 * Which version of which file is where in the archive. The versions that the order went by have the plain folders: the package that was
 * accepted, the documents to sign, the signatures that were sent. Every other version that is still there is in `other-versions/`.
 */
export function planFiles(details: OrderDetails, files: readonly OrderFile[]) {
  const known = knownVersions(details);
  const accepted = new Set(files.filter((file) => known.has(idOf(file))).map(({ bucket, key }) => `${bucket} ${key}`));
  // S3 lists the newest version first.
  const placed = files.toReversed().flatMap((file) => {
    const isCurrent = file.isLatest && !accepted.has(`${file.bucket} ${file.key}`);
    return (known.get(idOf(file)) ?? [storedAs(file, isCurrent)]).map((place) => ({ ...place, file }));
  });
  const rank = ({ folder }: ArchivedAs) => FOLDERS.indexOf(folder.split('/', 1)[0] ?? '');
  placed.sort((one, other) => rank(one) - rank(other));
  const paths = safePaths(placed);
  return placed.map(({ folder: _folder, name: _name, signs, ...planned }, at) => {
    const path = paths[at] ?? '';
    // A signature whose document is no longer there cannot be checked in the archive.
    if (signs && !paths.includes(signs.document))
      return { ...planned, path, what: `${planned.what}; its document was removed before` };
    return { ...planned, path, ...(signs && { signs }) };
  });
}

/** Paths that every file system takes beside each other, in their order. */
export function safePaths(places: readonly Pick<ArchivedAs, 'folder' | 'name'>[]): string[] {
  const folders = new Map<string, string[]>();
  for (const { folder, name } of places) folders.set(folder, [...(folders.get(folder) ?? []), name]);
  const safe = new Map<string, string[]>();
  for (const [folder, names] of folders)
    safe.set(folder, fileNames(names.map((name) => ({ name, fileId: name, contentType: '' }))));
  return places.map(({ folder }) => [folder, safe.get(folder)?.shift()].filter(Boolean).join('/'));
}

/** The files that the record names, by bucket, key and version. A signature may have been sent in two rounds. */
function knownVersions({ order, toSign, operations }: OrderDetails): Map<string, ArchivedAs[]> {
  const known = new Map<string, ArchivedAs[]>();
  const add = (id: string, place: ArchivedAs) => known.set(id, [...(known.get(id) ?? []), place]);
  const inIntake = (file: string, versionId: string, what: string) =>
    add(`intake orders/${order.orderRef}/${file} ${versionId}`, { folder: 'package', name: nameIn(file), what });
  inIntake('order.json', order.packageVersionId, 'the package as it was accepted');
  for (const { file, versionId, docType } of order.documents)
    inIntake(file, versionId, `document of the package, ${docType}`);
  // No two of them have the same name.
  const names = fileNames(toSign);
  const staged = toSign.map((one, at) => ({ ...one, name: names[at] ?? '' }));
  for (const { key, versionId, sha256, round, name } of staged)
    add(`staging ${key} ${versionId}`, {
      folder: `to-sign/round-${round}`,
      name,
      what: `document to sign, round ${round}`,
      sha256,
    });
  for (const { item, intendedAt, knowledge } of operations) {
    const [, round, fileId, versionId] =
      /^upload-signature#(\d+)#(.+)@([^@]*)$/s.exec(item.slice(OPERATION_PREFIX.length)) ?? [];
    const document = staged.find((one) => one.fileId === fileId && one.round === Number(round));
    // A signature that was not sent may be that of an earlier document.
    if (!document || knowledge.state === 'none') continue;
    add(`signature ${versionId}`, {
      folder: `signatures/round-${round}`,
      name: `${document.name}.p7s`,
      what: `signature that was ${knowledge.state === 'done' ? 'sent' : 'perhaps sent'}, round ${round}`,
      signs: { document: `to-sign/round-${round}/${document.name}`, sentAt: intendedAt },
    });
  }
  return known;
}

/** A signer may write a key in more than one way, so a signature is known by its version alone. */
function idOf({ bucket, key, versionId }: OrderFile): string {
  const isSignature = bucket === 'intake' && /^orders\/[^/]+\/signatures\//.test(key);
  return isSignature ? `signature ${versionId}` : `${bucket} ${key} ${versionId}`;
}

/** Where a file belongs that the record does not name. */
function storedAs({ bucket, key }: OrderFile, isCurrent: boolean): ArchivedAs {
  const file = key.split('/').slice(2).join('/');
  const [, , folder, what] = STORED.find(([of, pattern]) => of === bucket && pattern.test(file)) ?? [
    bucket,
    file,
    'other',
    'another file',
  ];
  const name = nameIn(file);
  return isCurrent ? { folder, name, what } : { folder: 'other-versions', name, what: `${what}, another version` };
}

/** The name of a file without its first folder, which the folder of the archive replaces. */
function nameIn(file: string): string {
  return file.replace(/^[^/]+\/(?=.)/, '');
}
