/** What several runs of one measurement gave. */
export interface Sample {
  median: number;
  minimum: number;
  maximum: number;
  runs: number;
}

/** @throws RangeError when there is none. */
export function sampleOf(values: readonly number[]): Sample {
  if (values.length === 0) throw new RangeError('A sample has at least one value.');
  const sorted = values.toSorted((one, other) => one - other);
  const [minimum = 0, maximum = 0] = [sorted[0], sorted.at(-1)];
  return { median: medianOf(sorted), minimum, maximum, runs: values.length };
}

/** The value below which this share of the sorted values lies (nearest rank); 0 of none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
