import { type Sample, sampleOf } from './sample.ts';

/** A row of the table: a value that was measured in several runs, or a count. */
export interface Row {
  /** Rows of a group are listed together, below its name. */
  group: string;
  what: string;
  unit: Unit;
  sample: Sample;
  /** The upper bound of a count. */
  bound?: number;
}

export type Unit = 'ms' | 's' | 'MB' | 'KB' | 'ratio' | 'count';

/** A row for the values of several runs. */
export function row(group: string, what: string, unit: Unit, values: readonly number[], bound?: number): Row {
  return { group, what, unit, sample: sampleOf(values), ...(bound !== undefined && { bound }) };
}

/** A value of every run: its name, its unit, how to get it, and its bound if it has one. */
export type Column<Run> = [what: string, unit: Unit, value: (run: Run) => number, bound?: number];

/** A row for each column, over all runs. */
export function rowsOfRuns<Run>(group: string, runs: readonly Run[], columns: readonly Column<Run>[]): Row[] {
  return columns.map(([what, unit, value, bound]) => row(group, what, unit, runs.map(value), bound));
}

const HEADINGS = ['', 'median', 'minimum', 'maximum', 'unit', 'runs', 'bound'];
const DECIMALS: Record<Unit, number> = { ms: 0, s: 2, MB: 0, KB: 0, ratio: 2, count: 0 };

/** Formats the table as text: the first column is left-aligned, numbers are right-aligned. */
export function formatTable(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, ({ group }) => group);
  const lines = [...groups].flatMap(([group, members]) => [[group], ...members.map(cellsOf)]);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...lines.filter((cells) => cells.length > 1).map((cells) => cells[column]?.length ?? 0)),
  );
  const text = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return [HEADINGS, ...lines].map((cells) => text(cells).trimEnd()).join('\n');
}

function cellsOf({ what, unit, sample, bound }: Row): string[] {
  const { median, minimum, maximum, runs } = sample;
  const numbers = [median, minimum, maximum].map((value) => value.toFixed(DECIMALS[unit]));
  return [`  ${what}`, ...numbers, unit, String(runs), bound === undefined ? '' : String(bound)];
}
