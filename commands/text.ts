import { stripVTControlCharacters } from 'node:util';
import { coloured, type Meaning } from './colours.ts';

/**
 * Characters that cannot be seen or turn the direction of the text. People need the joiners of letters (U+200C, U+200D) and the
 * variants of signs. console/page/parts/seen.ts has the same.
 */
const UNSEEN = /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Removes control characters, and percent-encodes what cannot be seen otherwise. Others choose names, statuses and identifiers, which
 * must not move the terminal's cursor or look like another text.
 */
export function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(UNSEEN, encodeURIComponent)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** JSON with every invisible character escaped, so that values stay exact. */
export function jsonText(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, undefined, 2).replaceAll(UNSEEN, (character) =>
    character.split('').map(escaped).join(''),
  );
}

/** A line made {@link plain} that keeps its indentation. */
export function plainIndented(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ''}${plain(line)}`;
}

/** At most so many characters of a text. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** A time to the second in UTC, or a dash for none. */
export function time(iso: string | undefined): string {
  return iso === undefined ? '-' : iso.replace('T', ' ').replace(/(\.\d+)?Z$/, 'Z');
}

/**
 * Formats rows, headings first, as lines of aligned columns. An empty cell becomes a dash.
 * @param meaning the meaning of a cell, which gives it a colour on a terminal
 */
export function columns(
  rows: string[][],
  meaning: (cell: string, column: number, row: number) => Meaning = () => 'none',
): string[] {
  const cells = rows.map((row) => row.map((cell) => plain(cell) || '-'));
  const widths = (cells[0] ?? []).map((_cell, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row, index) =>
    row
      .map((cell, column) => {
        const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - cell.length));
        return coloured(meaning(cell, column, index), cell) + padding;
      })
      .join('  ')
      .trimEnd(),
  );
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A count with its noun: `1 document`, `2 documents`. */
export function some(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** A size for people, in steps of 1,000: `950 bytes`, `1.2 MB`. */
export function bytes(size: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  const value = size / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step]}`;
}

const SPANS: [milliseconds: number, unit: string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** A time span for people, in its largest unit and the next one: `3 d 4 h`, `12 min 5 s`. */
export function span(milliseconds: number): string {
  const first = SPANS.findIndex(([length]) => milliseconds >= length);
  if (first === -1) return '0 s';
  const parts: string[] = [];
  let left = milliseconds;
  for (const [length, unit] of SPANS.slice(first, first + 2)) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ');
}
