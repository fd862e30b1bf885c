import type { StoredVersion } from '../../core/aws/object-versions.ts';
import { fileNames } from '../documents/file-names.ts';
import { Refusal } from '../refusal.ts';
import type { Execution } from '../stage/executions.ts';
import { OPERATION_PREFIX, type OrderDetails } from '../stage/record.ts';
import { folded, isReserved, pathFaults } from './faults.ts';

/** A version of a file of an order, in one of the stage's buckets. */
export interface OrderFile extends StoredVersion {
  bucket: 'intake' | 'staging';
}

/** The folders of an archive in their order, with their headings on its page. Each file in them is checked by its SHA-256. */
export const FOLDERS = {
  package: 'The package',
  'to-sign': 'Documents to sign',
  /** Those that were sent are checked against their documents, too. */
  signatures: 'Signatures',
  offers: 'Offers',
  decisions: 'Decisions',
  answers: 'Answers of the order service',
  other: 'Other files',
  'other-versions': 'Other versions of these files',
  record: 'The record',
};

/** Where files of intake and of staging are in the archive, and what they are. The first pattern that fits counts. */
const STORED: [bucket: OrderFile['bucket'], pattern: RegExp, folder: string, what: string][] = [
  ['intake', /^order\.json$/, 'package/', 'a package'],
  ['intake', /^documents\//, 'package/', 'a file of the package'],
  ['intake', /^signatures\//, '', 'a signature that was not sent'],
  ['intake', /^decision\.json$/, 'decisions/', 'a decision on the offers'],
  ['staging', /^to-sign\//, '', 'a document to sign that was replaced'],
  ['staging', /^to-sign\.json$/, 'answers/', 'what was asked to be signed'],
  ['staging', /^signatures-(rejected|unchecked)\//, 'answers/', 'the answer to a signature'],
  ['staging', /^offers\.json$/, 'offers/', "the banks' offers, as the order service sent them"],
  ['staging', /^choices\.json$/, 'decisions/', 'the choices and what became of them'],
  ['staging', /^decision-rejected\.json$/, 'decisions/', 'why a decision was refused'],
  ['staging', /^snapshot\.json$/, 'answers/', 'an answer of the order service'],
  ['staging', /^errors\//, 'answers/', 'an answer of the order service that refused a call'],
  ['staging', /^issues\.json$/, 'answers/', 'what the order service objected to'],
  ['staging', /^status\.json$/, 'answers/', 'the status, as it was shown'],
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
    [
      'record/timeline.json',
      'the timeline',
      ({ timeline }) =>
        timeline.map(({ orderRef, item, at, what, ...facts }, position) => ({
          number: position + 1,
          item,
          at,
          what,
          facts,
        })),
    ],
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

/** A file of the archive. */
interface Place {
  path: string;
  what: string;
  signs?: Signs;
  /** The digest that the record gives. */
  sha256?: string;
}

/** A file of the archive that comes from a bucket. */
export type PlannedFile = Place & { file: OrderFile };

/**
 * Which version of which file is where in the archive. The versions that the order went by have the plain names: the package that was
 * accepted, the documents to sign, the signatures that were sent. Every other version that is still there is below `other-versions/`.
 * @throws Refusal when two names do not fit beside each other.
 */
export function planFiles(details: OrderDetails, files: readonly OrderFile[]): PlannedFile[] {
  const known = knownVersions(details);
  const found = files.flatMap((file) => (known.get(idOf(file)) ?? []).map((one) => ({ ...one, file })));
  const taken = new Set<string>();
  const planned = found.map((one) => ({ ...withoutGone(one, found), path: unused(one.path, taken) }));
  // S3 lists the newest version first.
  for (const file of files.filter((one) => !known.has(idOf(one))).toReversed()) {
    const { path, what } = storedAs(file);
    const isCurrent = file.isLatest && !taken.has(folded(path));
    const place = isCurrent ? { path, what } : { path: `other-versions/${path}`, what: `${what}, another version` };
    planned.push({ ...place, path: unused(place.path, taken), file });
  }
  const [fault] = pathFaults(planned.map(({ path }) => path));
  if (fault) throw new Refusal(`No archive was written: it could not hold ${fault.file}. ${fault.message}`);
  return planned.sort((one, other) => rank(one) - rank(other) || (one.path < other.path ? -1 : 1));
}

/** A signature whose document is no longer there cannot be checked in the archive. */
function withoutGone({ signs, ...planned }: PlannedFile, found: readonly PlannedFile[]): PlannedFile {
  if (!signs || found.some(({ path }) => path === signs.document)) return { ...planned, ...(signs && { signs }) };
  return { ...planned, what: `${planned.what}; its document was removed before` };
}

/** The files that the record names, by bucket, key and version. A signature may have been sent in two rounds. */
function knownVersions({ order, toSign, operations }: OrderDetails): Map<string, Place[]> {
  const known = new Map<string, Place[]>();
  const add = (id: string, place: Place) => known.set(id, [...(known.get(id) ?? []), place]);
  const inIntake = (file: string, versionId: string) => `intake orders/${order.orderRef}/${file} ${versionId}`;
  const what = 'the package as it was accepted';
  add(inIntake('order.json', order.packageVersionId), { path: 'package/order.json', what });
  for (const { file, versionId, docType } of order.documents)
    add(inIntake(file, versionId), { path: `package/${safePath(file)}`, what: `document of the package, ${docType}` });
  // No two of them have the same name.
  const names = fileNames(toSign);
  const staged = toSign.map((one, at) => ({ ...one, path: `to-sign/round-${one.round}/${names[at]}` }));
  for (const { key, versionId, sha256, round, path } of staged)
    add(`staging ${key} ${versionId}`, { path, what: `document to sign, round ${round}`, sha256 });
  for (const { item, intendedAt, knowledge } of operations) {
    const [, round, fileId, versionId] =
      /^upload-signature#(\d+)#(.+)@([^@]*)$/s.exec(item.slice(OPERATION_PREFIX.length)) ?? [];
    const document = staged.find((one) => one.fileId === fileId && one.round === Number(round));
    // A signature that was not sent may be that of an earlier document.
    if (!document || knowledge.state === 'none') continue;
    add(`signature ${versionId}`, {
      path: `${document.path.replace(/^to-sign/, 'signatures')}.p7s`,
      what: `signature that was ${knowledge.state === 'done' ? 'sent' : 'perhaps sent'}, round ${round}`,
      signs: { document: document.path, sentAt: intendedAt },
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
function storedAs({ bucket, key }: OrderFile): { path: string; what: string } {
  const rest = key.split('/').slice(2).join('/');
  const place = STORED.find(([of, pattern]) => of === bucket && pattern.test(rest));
  const [, , folder, what] = place ?? [bucket, rest, 'other/', 'another file'];
  return { path: safePath(`${folder}${rest}`), what };
}

/** A path without anything that leaves its folder or that a file system refuses. The manifest has the key as it is. */
function safePath(path: string): string {
  const parts = path.split('/').map((part) => {
    const encoded = encodeURIComponent(part).replaceAll('*', '%2A');
    const safe = encoded.replace(/^\.+$|\.$/, (dots) => '%2E'.repeat(dots.length));
    return isReserved(safe) ? `%${safe.charCodeAt(0).toString(16)}${safe.slice(1)}` : safe;
  });
  return parts.filter((part) => part !== '').join('/');
}

/** The path, with a number if another one equals it but for case: not every file system could hold both. */
function unused(path: string, taken: Set<string>): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? path : path.replace(/[^/]*$/, (last) => `${count}-${last}`);
    if (taken.has(folded(name))) continue;
    taken.add(folded(name));
    return name;
  }
}

function rank({ path }: PlannedFile): number {
  return Object.keys(FOLDERS).indexOf(path.split('/', 1)[0] ?? '');
}
