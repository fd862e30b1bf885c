import type { ObjectVersion } from './bucket.ts';
import type { S3Call } from './request.ts';
import { S3Error } from './s3-error.ts';

/** An entry of a listing: a version of an object, or a common prefix that stands for many keys. */
export type Entry = ObjectVersion | { prefix: string };

export interface Page {
  entries: Entry[];
  /** The last entry of this page, if more follow. */
  next?: Entry;
}

const MAX_KEYS = 1000;

/** `max-keys` of a request, or another limit of a page; at most 1000. */
export function maxKeys(call: S3Call, name = 'max-keys'): number {
  const value = call.query.get(name);
  if (value === null) return MAX_KEYS;
  if (!/^\d+$/.test(value)) throw new S3Error('InvalidArgument', `${name} is ${value}, which is not a number.`);
  return Math.min(Number(value), MAX_KEYS);
}

export const isPrefix = (entry: Entry): entry is { prefix: string } => 'prefix' in entry;

/** The name by which an entry is sorted. */
export const nameOf = (entry: Entry): string => (isPrefix(entry) ? entry.prefix : entry.key);

/**
 * Groups sorted versions whose keys start with the prefix, as S3 lists them. Keys with the delimiter after the prefix become one
 * common prefix. A page has at most `limit` entries, which sort after `after` (a key or a common prefix), or are versions of that key
 * that are older than the one with the sequencer `olderThan`.
 */
export function paginate(
  versions: Iterable<ObjectVersion>,
  options: { prefix: string; delimiter: string; after: string; olderThan?: string | undefined; limit: number },
): Page {
  const { prefix, delimiter, after, olderThan, limit } = options;
  const entries: Entry[] = [];
  for (const version of versions) {
    const rolledUp = rollUp(version.key, prefix, delimiter);
    const entry = rolledUp === undefined ? version : { prefix: rolledUp };
    const last = entries.at(-1);
    if (rolledUp !== undefined && last !== undefined && nameOf(last) === rolledUp) continue;
    const isOlder = nameOf(entry) === after && olderThan !== undefined && version.sequencer < olderThan;
    if (!isOlder && isNotAfter(nameOf(entry), after)) continue;
    if (entries.length >= limit) return last === undefined ? { entries } : { entries, next: last };
    entries.push(entry);
  }
  return { entries };
}

function rollUp(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '') return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end === -1 ? undefined : key.slice(0, end + delimiter.length);
}

function isNotAfter(name: string, after: string): boolean {
  return after !== '' && Buffer.compare(Buffer.from(name), Buffer.from(after)) <= 0;
}
