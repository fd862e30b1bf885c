import { createHash } from 'node:crypto';
import { canonicalJson } from '../json/canonical-json.ts';

/** A line of the timeline as the record has it. */
export interface TimelineLine {
  item: string;
  /** Only in chained lines: the hash of the chained line before it; empty for the first one. */
  before?: string | number;
  /** Only in chained lines: SHA-256 of everything else in the line. */
  hash?: string | number;
  /** Only in chained lines: the lines beside the chain that it fixes, as `<item>=<hash>` with a space between them. */
  covers?: string | number;
}

/** The facts of a line that people read: references and counts by name. */
export function factsOf(line: Readonly<Record<string, string | number>>): [name: string, value: string | number][] {
  return Object.entries(line).filter(([name]) => !OTHERS.has(name));
}

/** What every line has, the version of a file that a line is about, and what chains it. */
const OTHERS = new Set(['orderRef', 'item', 'at', 'what', 'file', 'before', 'hash', 'covers']);

/**
 * The most lines that one line fixes, some 110 bytes each, because DynamoDB takes 400 KB for an item. The next chained line fixes
 * the rest.
 */
const MOST_COVERED = 1_000;

/** The hash of a line: it fixes the line, and by the hash before it every chained line before. */
export function lineHash({ hash: _hash, ...line }: TimelineLine): string {
  return createHash('sha256').update(canonicalJson(line)).digest('hex');
}

/**
 * What a new chained line fixes of the lines that other steps have put beside the chain.
 * @param lines the whole timeline.
 * @param head the hash of the last chained line.
 */
export function coveredBy(lines: readonly TimelineLine[], head: string | undefined): string {
  const { way } = follow(lines, head);
  const known = new Set([...way.map(({ item }) => item), ...way.flatMap(covered).map(({ item }) => item)]);
  const left = lines.filter(({ item }) => !known.has(item)).slice(0, MOST_COVERED);
  return left.map((line) => `${line.item}=${lineHash(line)}`).join(' ');
}

/** What the chain of a timeline shows. Positions count from 0. */
export interface ChainCheck {
  /** How many lines are fixed by the chain. */
  chained: number;
  /** The first of them. Lines before it may be of a release without a chain. */
  from: number | undefined;
  /** Lines that are not as they were written. */
  changed: number[];
  /** The chained line that came before this one is missing. The number of lines stands for the end of the timeline. */
  missingBefore: number | undefined;
  /** The times of the missing lines that a chained line fixed. */
  removed: string[];
}

/**
 * Follows the chain from its head, which the item `order` has, to its first line.
 * @param lines the whole timeline, in its order.
 * @param head undefined for an order of a release without a chain.
 */
export function checkChain(lines: readonly TimelineLine[], head: string | undefined): ChainCheck {
  const positions = new Map(lines.map(({ item }, position) => [item, position]));
  const { way, isWhole } = follow(lines, head);
  const fixed = new Set<number>();
  const changed = new Set<number>();
  const removed: string[] = [];
  const chained = lines.filter(({ hash }) => hash !== undefined);
  const claims = [...chained.map(({ item, hash }) => ({ item, hash })), ...way.flatMap(covered)];
  for (const { item, hash } of claims) {
    const position = positions.get(item);
    const line = position === undefined ? undefined : lines[position];
    if (position === undefined || !line) removed.push(timeOf(item));
    else if (lineHash(line) === hash) fixed.add(position);
    else changed.add(position);
  }
  // Whoever put a line behind another one found a head, so the order had one.
  const isHeadGone = !head && chained.some(({ before = '' }) => before !== '');
  const all = [...fixed, ...changed].sort((one, other) => one - other);
  return {
    chained: all.length,
    from: all[0],
    changed: [...changed].sort((one, other) => one - other),
    missingBefore: isWhole && !isHeadGone ? undefined : (positions.get(way.at(-1)?.item ?? '') ?? lines.length),
    removed: removed.sort(),
  };
}

/** The chained lines from the head to the first one, or to the last one before which a line is missing. */
function follow(lines: readonly TimelineLine[], head = ''): { way: TimelineLine[]; isWhole: boolean } {
  const byHash = new Map(lines.filter(({ hash }) => hash !== undefined).map((line) => [line.hash, line]));
  const way: TimelineLine[] = [];
  let hash: TimelineLine['before'] = head;
  while (hash !== '' && hash !== undefined) {
    const line = byHash.get(hash);
    if (!line) return { way, isWhole: false };
    // A line that was changed could lead back to a later one.
    byHash.delete(hash);
    way.push(line);
    hash = line.before;
  }
  return { way, isWhole: true };
}

/** The lines that a chained line fixes, with their hashes. */
function covered({ covers = '' }: TimelineLine): { item: string; hash: string }[] {
  const claims = String(covers).split(' ').filter(Boolean);
  return claims.map((claim) => {
    const end = claim.lastIndexOf('=');
    return { item: claim.slice(0, end), hash: claim.slice(end + 1) };
  });
}

/** The time in the key of a line, `event#<time>#<name>`. */
function timeOf(item: string): string {
  return item.split('#')[1] ?? item;
}
