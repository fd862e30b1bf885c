import { fittingKey } from '../aws/object-key.ts';

/** The record that holds the list of rejected uploads. No order has this name, because an `orderRef` begins with a letter or digit. */
export const REJECTED = '#rejected';
/** The item with {@link RejectedCount}. */
export const COUNT_ITEM = 'count';
/** The items with a {@link RejectedLine}. */
export const LINE_PREFIX = 'line#';

/** What was rejected: a package with problems, or an upload that belongs to no package. Each kind has room of its own. */
export type RejectedKind = 'package' | 'upload';
export const KINDS: readonly RejectedKind[] = ['package', 'upload'];

/** The most lines of a kind that the list keeps. What comes while it is full is answered and counted. */
export const MOST_LINES = 500;

/** A line of the list: the newest upload of one key. Times are ISO 8601 in UTC. */
export interface RejectedLine {
  orderRef: typeof REJECTED;
  item: string;
  kind: RejectedKind;
  /** The key in intake. It may contain any character. */
  key: string;
  /** When an upload of this key was rejected first. */
  since: string;
  /** When the newest one was. */
  lastAt: string;
  versionId: string;
  /** Why, in a sentence. */
  why: string;
  /** The upload came when the order of its folder was recorded. The start of the order takes only earlier lines off the list. */
  ofOrder?: true;
}

/** How many lines the list has of each kind, and how many uploads came while it was full. */
export type RejectedCount = Partial<Record<RejectedKind | `more-${RejectedKind}`, number>> & {
  orderRef: typeof REJECTED;
  item: typeof COUNT_ITEM;
  /** When an upload came last while the list was full. */
  moreAt?: string;
};

/** The name of the line of a key. */
export function lineItem(key: string): string {
  return fittingKey(`${LINE_PREFIX}${encoded(key)}`);
}

/** How the lines of an order's folder begin. */
export function linesOf(orderRef: string): string {
  return `${LINE_PREFIX}orders/${orderRef}/`;
}

/** The key of the answer in staging. */
export function answerKey({ kind, key }: Pick<RejectedLine, 'kind' | 'key'>): string {
  if (kind === 'upload') return fittingKey(`unknown/${encoded(key)}.json`);
  return fittingKey(key.replace(/order\.json$/, 'rejected.json'));
}

/** The folder in staging with the answers to unknown uploads in an order's folder. */
export function unknownPrefix(orderRef: string): string {
  return `unknown/orders/${orderRef}/`;
}

/**
 * The key with ASCII letters, digits and `._-` as they are, and everything else percent-encoded, also names of dots only, which
 * tools take for folders. A slash that follows another one, or begins the key, is encoded too. No two keys have the same encoding.
 */
function encoded(key: string): string {
  let made = '';
  for (const [position, name] of key.split('/').entries()) {
    if (position > 0) made += made === '' || made.endsWith('/') ? '%2F' : '/';
    made += encodedName(name);
  }
  return made;
}

function encodedName(name: string): string {
  if (/^\.+$/.test(name)) return name.replaceAll('.', '%2E');
  return encodeURIComponent(name).replaceAll(/[!'()*~]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
