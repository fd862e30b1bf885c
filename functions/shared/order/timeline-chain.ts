import { createHash } from 'node:crypto';
import { canonicalJson } from '../json/canonical-json.ts';

/** A line of the timeline as the record has it. Those of steps that do not write the order have no hash. */
export interface ChainedLine {
  item: string;
  /** The hash of the chained line before it; empty for the first one. */
  before?: string | number;
  /** SHA-256 of `before` and the line's own content. */
  hash?: string | number;
}

/** The hash of a line: it fixes the line, and by the hash before it every chained line before. */
export function lineHash({ hash: _hash, ...line }: ChainedLine): string {
  return createHash('sha256').update(canonicalJson(line)).digest('hex');
}

/** What the chain of a timeline shows. Positions count from 0. */
export interface ChainCheck {
  /** How many lines have a hash. */
  chained: number;
  /** The first of them. Lines before it may be of a release without a chain. */
  from: number | undefined;
  /** Lines that are not as they were written. */
  changed: number[];
  /** The chained line that came before this one is missing. The number of lines stands for the end of the timeline. */
  missingBefore: number | undefined;
}

/**
 * Follows the chain from its head, which the item `order` has, to its first line.
 * @param lines the whole timeline, in its order.
 * @param head undefined for an order of a release without a chain.
 */
export function checkChain(lines: readonly ChainedLine[], head: string | undefined): ChainCheck {
  const chained = lines.flatMap((line, position) => (line.hash === undefined ? [] : [{ line, position }]));
  const changed = chained.filter(({ line }) => lineHash(line) !== line.hash).map(({ position }) => position);
  const byHash = new Map(chained.map((one) => [one.line.hash, one]));
  let missingBefore: number | undefined;
  let after = lines.length;
  const seen = new Set<unknown>();
  for (let hash: unknown = head ?? ''; hash !== '' && hash !== undefined && !seen.has(hash); ) {
    seen.add(hash);
    const found = byHash.get(hash as string);
    if (!found) {
      missingBefore = after;
      break;
    }
    after = found.position;
    hash = found.line.before;
  }
  return { chained: chained.length, from: chained[0]?.position, changed, missingBefore };
}
