import { stripVTControlCharacters } from 'node:util';

/** Text for a terminal: statuses and identifiers are the service's to choose, and must not move the cursor. */
export function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
}

/** A point in time to the second, in UTC; a dash when there is none. */
export function time(iso: string | undefined): string {
  return iso === undefined ? '-' : iso.replace('T', ' ').replace(/(\.\d+)?Z$/, 'Z');
}

/** Rows (the headings are the first) as lines, each column as wide as its widest cell. An empty cell is a dash. */
export function columns(rows: string[][]): string[] {
  const cells = rows.map((row) => row.map((cell) => plain(cell) || '-'));
  const widths = (cells[0] ?? []).map((_cell, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
