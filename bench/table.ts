import { type Sample, sampleOf } from './sample.ts';

/** One line of the table: a measured value of some runs, or a count. */
export interface Row {
  /** Rows of one group stand together under its name. */
  group: string;
  what: string;
  unit: Unit;
  sample: Sample;
  /** The most that a count may be. */
  bound?: number;
}

export type Unit = 'ms' | 's' | 'MB' | 'KB' | 'ratio' | 'count';

/** A row of the values that some runs gave. */
export function row(group: string, what: string, unit: Unit, values: readonly number[], bound?: number): Row {
  return { group, what, unit, sample: sampleOf(values), ...(bound !== undefined && { bound }) };
}

/** One value of every run: what it is, its unit, where it stands, and its bound if it is a count with one. */
export type Column<Run> = [what: string, unit: Unit, value: (run: Run) => number, bound?: number];

/** A row for each column, over all runs. */
export function rowsOfRuns<Run>(group: string, runs: readonly Run[], columns: readonly Column<Run>[]): Row[] {
  return columns.map(([what, unit, value, bound]) => row(group, what, unit, runs.map(value), bound));
}

const HEADINGS = ['', 'median', 'minimum', 'maximum', 'unit', 'runs', 'bound'];
const DECIMALS: Record<Unit, number> = { ms: 0, s: 2, MB: 0, KB: 0, ratio: 2, count: 0 };

/**
 * The whole table as text: the first column to the left, numbers to the right. No library: what those do beyond it (frames, wrapped cells,
 * colours) is not needed.
 */
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
