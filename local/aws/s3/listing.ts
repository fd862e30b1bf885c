import type { S3Call } from './request.ts';
import { S3Error } from './s3-error.ts';

/** An entry of a listing: a key with its items, or a common prefix that stands for many keys. */
export type Entry<Item> = { key: string; items: Item[] } | { prefix: string };

export interface Page<Item> {
  entries: Entry<Item>[];
  /** The last key or prefix of this page, if more follow. */
  next?: string;
}

const MAX_KEYS = 1000;

/** `max-keys` of a request; at most 1000. */
export function maxKeys(call: S3Call): number {
  const value = call.query.get('max-keys');
  if (value === null) return MAX_KEYS;
  if (!/^\d+$/.test(value)) throw new S3Error('InvalidArgument', `max-keys is ${value}, which is not a number.`);
  return Math.min(Number(value), MAX_KEYS);
}

/**
 * Groups sorted keys that start with the prefix, as S3 lists them. Keys with the delimiter after the prefix become one common prefix.
 * A page has at most `limit` entries, which sort after `after` (a key or a common prefix).
 */
export function paginate<Item>(
  keys: readonly string[],
  items: (key: string) => Item[],
  options: { prefix: string; delimiter: string; after: string; limit: number },
): Page<Item> {
  const entries: Entry<Item>[] = [];
  let last = '';
  for (const key of keys) {
    const rolledUp = rollUp(key, options.prefix, options.delimiter);
    const name = rolledUp ?? key;
    if ((rolledUp !== undefined && rolledUp === last) || isNotAfter(name, options.after)) continue;
    const listed = rolledUp === undefined ? items(key) : [];
    if (rolledUp === undefined && listed.length === 0) continue;
    if (entries.length >= options.limit) return { entries, next: last };
    entries.push(rolledUp === undefined ? { key, items: listed } : { prefix: rolledUp });
    last = name;
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
