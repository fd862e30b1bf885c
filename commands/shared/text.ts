import { stripVTControlCharacters, styleText } from 'node:util';
import type { Coded } from '../../core/messages/say.ts';
import { UNSEEN } from './unseen.ts';

/** Exit code of a refusal. */
export const REFUSED = 1;

/** Exit code after Ctrl-C: 128 plus the signal's number, as in shells. */
export const INTERRUPTED = 130;

/** A command refuses to act. The message says why in one or two sentences. With a code, the page can translate it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly exitCode: number;
  readonly coded: Coded;

  constructor(message: string, exitCode = REFUSED, coded: Coded = {}) {
    super(message);
    this.exitCode = exitCode;
    this.coded = coded;
  }
}

/** A command's answer: `lines` for people, `json` for scripts. */
export interface CommandResult {
  lines: string[];
  /** Undefined if another program has printed. */
  json: unknown;
  /** Default: 0. */
  exitCode?: number;
}

/**
 * Removes control characters and percent-encodes other invisible ones. Names, statuses and identifiers come from others, and must not move
 * the terminal's cursor or look like another text.
 */
export function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(UNSEEN, encodeURIComponent)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** A printed line without the control characters that are not our own: a part of it may be foreign, and not {@link plain}. */
export const printable = (line: string): string =>
  line.replaceAll(FOREIGN_CONTROLS, '').replaceAll(UNSEEN, encodeURIComponent);
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours begin with one
const FOREIGN_CONTROLS = /(?!\n|\u001b\[3[1-39]m)\p{Cc}/gu;

/** JSON itself allows these control characters, which can move the terminal's cursor (ECMA-48). */
const UNSEEN_IN_JSON = new RegExp(`${UNSEEN.source}|[\\x7f-\\x9f]`, 'gu');

/** JSON with every invisible character escaped, which preserves values. */
export function jsonText(value: unknown, indent = 2): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, undefined, indent).replaceAll(UNSEEN_IN_JSON, (character) =>
    character.split('').map(escaped).join(''),
  );
}

/** A {@link plain} line with its indentation. */
export function plainIndented(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ''}${plain(line)}`;
}

export function truncate(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** A time to the second in UTC, or a dash for none. */
export function time(iso: string | undefined): string {
  return iso === undefined ? '-' : iso.replace('T', ' ').replace(/(\.\d+)?Z$/, 'Z');
}

/** Rows, headings first, as aligned lines. An empty cell becomes a dash. `meaning` gives a cell its colour. */
export function columns(
  rows: string[][],
  meaning: (cell: string, column: number, row: number) => Meaning = () => 'none',
): string[] {
  const cells = rows.map((row) => row.map((cell) => plain(cell) || '-'));
  const widths = (cells[0] ?? []).map((_cell, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const indent = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  return cells.flatMap((row, index) => {
    const shown = (cell: string, column: number) => coloured(meaning(cell, column, index), cell);
    const first = row.slice(0, -1).map((cell, column) => {
      return shown(cell, column) + ' '.repeat((widths[column] ?? 0) - cell.length + GAP);
    });
    const [beside, ...below] = besideOrBelow(row.at(-1) ?? '', indent);
    const last = (text = '') => shown(text, row.length - 1);
    return [
      (first.join('') + last(beside)).trimEnd(),
      ...below.map((line) => /^ */.exec(line)?.[0] + last(line.trim())),
    ];
  });
}

const GAP = 2;
/** If the last column would be narrower, it is printed below the others. */
const LEAST_WIDTH = 24;
/** The indentation of sections of `show`, in characters. */
const MARGIN = 2;

/** The lines of a table's last cell: the first is beside the other cells. A pipe gets one line. */
function besideOrBelow(cell: string, indent: number): string[] {
  const width = process.stdout.isTTY ? (process.stdout.columns || 80) - MARGIN : Number.POSITIVE_INFINITY;
  if (indent + cell.length <= width) return [cell];
  const isBeside = width - indent >= LEAST_WIDTH;
  const margin = ' '.repeat(isBeside ? indent : MARGIN * 2);
  const [first = '', ...others] = wrapped(cell, width - margin.length);
  return isBeside
    ? [first, ...others.map((line) => margin + line)]
    : ['', ...[first, ...others].map((line) => margin + line)];
}

/** Wraps a text into lines of at most this many characters, if its words are short enough. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A count with its noun: `1 document`, `2 documents`. */
export function some(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The counts that are not 0: `2 saved, 1 not saved`. */
export function formatCounts(kinds: Record<string, number>): string {
  return Object.entries(kinds)
    .flatMap(([kind, count]) => (count > 0 ? `${count} ${kind}` : []))
    .join(', ');
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** A size for people, in steps of 1,000: `950 bytes`, `1.2 MB`. */
export function formatBytes(size: number): string {
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
export function formatSpan(milliseconds: number): string {
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

export type Meaning = 'good' | 'bad' | 'attention' | 'none';

const COLOURS = { good: 'green', bad: 'red', attention: 'yellow' } as const;

/**
 * A text in the colour of its meaning, if standard output is a terminal. A pipe gets no colours, and `NO_COLOR` (https://no-color.org)
 * turns them off. The text is complete without its colour.
 */
export function coloured(meaning: Meaning, text: string): string {
  if (meaning === 'none' || !process.stdout.isTTY || process.env.NO_COLOR) return text;
  return styleText(COLOURS[meaning], text, { stream: process.stdout, validateStream: true });
}

export function meaningOf(status: string): Meaning {
  if (/^(CLOSED|SUCCEEDED)$/.test(status)) return 'good';
  if (/^(VALIDATION_FAILED|FAILED|TIMED_OUT|ABORTED)$/.test(status)) return 'bad';
  return 'none';
}

/** Quotes a word for a POSIX shell where needed. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
