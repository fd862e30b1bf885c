export type Unit = 'ms' | 's' | 'MB' | 'ratio' | 'count';

/** The values that several runs measured, or a count. */
export interface Row {
  group: string;
  what: string;
  unit: Unit;
  values: number[];
}

export function row(group: string, what: string, unit: Unit, values: number | number[]): Row {
  return { group, what, unit, values: [values].flat() };
}

export type Column<Run> = [what: string, unit: Unit, value: (run: Run) => number];

export function rowsOf<Run>(group: string, runs: readonly Run[], columnsOfRun: readonly Column<Run>[]): Row[] {
  return columnsOfRun.map(([what, unit, value]) => row(group, what, unit, runs.map(value)));
}

/** @throws RangeError for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (lower === undefined || upper === undefined) throw new RangeError('A median needs at least one value.');
  return (lower + upper) / 2;
}
