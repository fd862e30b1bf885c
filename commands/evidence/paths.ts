import type { OrderFile } from '../stage/evidence-source.ts';

type Place = [pattern: RegExp, folder: string, what: string];

/** Where files of intake and of staging are in the archive, and what they are. The first pattern that fits counts. */
const PLACES: Record<OrderFile['bucket'], Place[]> = {
  intake: [
    [/^order\.json$/, 'package', 'a package'],
    [/^documents\//, 'package', 'a file of the package'],
    [/^signatures\//, '', 'a signature that was not sent'],
    [/^decision\.json$/, 'decisions', 'a decision on the offers'],
  ],
  staging: [
    [/^to-sign\//, '', 'a document to sign that was replaced'],
    [/^to-sign\.json$/, 'answers', 'what was asked to be signed'],
    [/^signatures-(rejected|unchecked)\//, 'answers', 'the answer to a signature'],
    [/^offers\.json$/, 'offers', "the banks' offers, as the order service sent them"],
    [/^choices\.json$/, 'decisions', 'the choices and what became of them'],
    [/^decision-rejected\.json$/, 'decisions', 'why a decision was refused'],
    [/^snapshot\.json$/, 'answers', 'an answer of the order service'],
    [/^errors\//, 'answers', 'an answer of the order service that refused a call'],
    [/^issues\.json$/, 'answers', 'what the order service objected to'],
    [/^status\.json$/, 'answers', 'the status, as it was shown'],
  ],
};

/** Where a file belongs that the record does not name. */
export function pathOf({ bucket, key }: OrderFile): { path: string; what: string } {
  const rest = key.split('/').slice(2).join('/');
  const [, folder, what] = PLACES[bucket].find(([pattern]) => pattern.test(rest)) ?? [rest, 'other', 'another file'];
  return { path: safePath(folder === '' ? rest : `${folder}/${rest}`), what };
}

/** A path without anything that leaves its folder or that a file system refuses. The manifest has the key as it is. */
export function safePath(path: string): string {
  return path
    .split('/')
    .map((part) =>
      encodeURIComponent(part)
        .replaceAll('*', '%2A')
        .replace(/^\.+$|\.$/, (dots) => '%2E'.repeat(dots.length)),
    )
    .filter((part) => part !== '')
    .join('/');
}

/** The path of another version of a file. */
export function otherPath(path: string, number: number): string {
  return `other-versions/${numbered(path, number)}`;
}

/** The path with a number before its name. */
export function numbered(path: string, number: number): string {
  const parts = path.split('/');
  const name = parts.pop();
  return [...parts, `${number}-${name}`].join('/');
}

/** Two paths that some file system takes for the same have the same folded one. */
export function folded(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase();
}

/** Whether every file system takes the path, and none leaves the folder that the archive is unpacked in. */
export function isSafePath(path: string): boolean {
  return path.split('/').every((part) => !/^$|[. ]$|[\\:*?"<>|\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(part));
}
