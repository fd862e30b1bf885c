import { stripVTControlCharacters } from 'node:util';

/** The first characters of a formula in a spreadsheet (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A line of RFC 4180. Every cell is quoted. A spreadsheet shows what looks like a formula as text, with an apostrophe. */
export const csvLine = (cells: readonly unknown[]): string =>
  cells
    .map((cell) => stripVTControlCharacters(String(cell ?? '')))
    .map((text) => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`)
    .join(',');
