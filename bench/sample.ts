/** Statistics of several runs of a measurement. */
export interface Sample {
  median: number;
  minimum: number;
  maximum: number;
  runs: number;
}

/** @throws RangeError for an empty list. */
export function sampleOf(values: readonly number[]): Sample {
  if (values.length === 0) throw new RangeError('A sample needs at least one value.');
  const sorted = values.toSorted((one, other) => one - other);
  const [minimum = 0, maximum = 0] = [sorted[0], sorted.at(-1)];
  return { median: medianOf(sorted), minimum, maximum, runs: values.length };
}

/** The percentile of sorted values by nearest rank, or 0 for an empty list. `share` is 0 to 1. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
