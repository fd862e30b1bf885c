import { plain } from '../text.ts';

/** An offer, or one of its credit options, as the service sent it: anything. */
type Known = Record<string, unknown>;

/** A line of the table: an offer with one of its credit options, as texts by column. */
type Row = Map<string, string>;

/** Members that have a column of their own in front. */
const OFFER = 'OFFER';
const STATUS = 'STATUS';
const CODE = 'CODE';
const FIRST = [OFFER, STATUS, CODE];

/** Deeper members are shown as JSON. */
const DEEPEST = 3;

const GAP = 2;

/**
 * The offers as a table: one line for each credit option, and a column for each member that any offer or option has (specification
 * 2.2 names only `offerId`, `status`, `creditOptions` and `code`; the others are shown under their own names).
 * @param width characters of a line; columns that do not fit are named below the table.
 */
export function offerTable(offers: unknown[], width = Number.POSITIVE_INFINITY): string[] {
  const rows = offers.flatMap(rowsOf);
  const names = [...new Set([...FIRST, ...rows.flatMap((row) => [...row.keys()])])];
  const cells = names.map((name) => columnOf(name, rows));
  const { shown, left } = fitting(cells, names, width);
  const lines = [0, ...rows.map((_row, index) => index + 1)].map((line) =>
    shown
      .map((column) => column[line])
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
  const more =
    left.length > 0 ? ['', `Not shown, because the terminal is narrow: ${left.join(', ')}. --wide shows all.`] : [];
  return [...lines, ...more];
}

/** One row for each credit option. An offer without any has one row. */
function rowsOf(offer: unknown): Row[] {
  const { offerId, status, creditOptions, ...others } = asObject(offer);
  const options: unknown[] = Array.isArray(creditOptions) && creditOptions.length > 0 ? creditOptions : [{}];
  const isList = creditOptions === undefined || Array.isArray(creditOptions);
  return options.map((option) => {
    const { code, ...terms } = asObject(option);
    return new Map([
      [OFFER, text(offerId)],
      [STATUS, text(status)],
      [CODE, text(code)],
      ...flat(others),
      ...flat(terms),
      // Not a list, so not what the specification says: shown as it is.
      ...(isList ? [] : [['creditOptions', text(creditOptions)] as [string, string]]),
    ]);
  });
}

/** All that is known of an offer, or of a credit option, beside what identifies it: `bankName First Bank, rate 19.5`. */
export function factsOf(offerOrOption: unknown): string {
  const {
    offerId: _offerId,
    status: _status,
    creditOptions: _creditOptions,
    code: _code,
    ...others
  } = asObject(offerOrOption);
  return flat(others)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function asObject(value: unknown): Known {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Known) : {};
}

/** Every member with its path, such as `bank.name`, as a text. */
function flat(members: Known): [string, string][] {
  return membersOf(members).map(([path, value]) => [path, text(value)]);
}

/** Every member of an offer or a credit option with its path, as it came. */
export function membersOf(members: Known, prefix = '', depth = 1): [string, unknown][] {
  return Object.entries(members).flatMap(([name, value]): [string, unknown][] => {
    const path = plain(`${prefix}${name}`);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && depth < DEEPEST ? membersOf(value as Known, `${path}.`, depth + 1) : [[path, value]];
  });
}

function text(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (Array.isArray(value) && value.every((element) => typeof element !== 'object')) return plain(value.join(', '));
  return plain(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** The heading and the cells of a column, padded to one width. Numbers are aligned on the right. */
function columnOf(name: string, rows: Row[]): string[] {
  const cells = rows.map((row) => row.get(name) ?? '-');
  const width = Math.max(name.length, ...cells.map(({ length }) => length));
  const isNumeric =
    cells.every((cell) => cell === '-' || /^-?[\d.]+$/.test(cell)) && cells.some((cell) => cell !== '-');
  return [name, ...cells].map((cell) => (isNumeric ? cell.padStart(width) : cell.padEnd(width)));
}

/** The columns that fit into a line, always with the first three, and the names of the others. */
function fitting(columns: string[][], names: string[], width: number): { shown: string[][]; left: string[] } {
  const shown: string[][] = [];
  const left: string[] = [];
  let used = -GAP;
  for (const [index, column] of columns.entries()) {
    const name = names[index] as string;
    const wanted = used + GAP + (column[0]?.length ?? 0);
    if (wanted > width && !FIRST.includes(name)) {
      left.push(name);
    } else {
      shown.push(column);
      used = wanted;
    }
  }
  return { shown, left };
}
