import { stripVTControlCharacters } from 'node:util';

/** Where a formula begins in a spreadsheet (OWASP, "CSV Injection"): also after a semicolon, which separates cells in some countries. */
const FORMULA = /(?<=(?:^|[;\t\r\n])"*)(?=[=+\-@\t\r\n＝＋－＠])/g;

/** A line of RFC 4180. Every cell is quoted. A spreadsheet shows what looks like a formula as text, with an apostrophe. */
export const csvLine = (cells: readonly unknown[]): string =>
  cells
    .map((cell) => stripVTControlCharacters(String(cell ?? '')))
    .map((text) => `"${text.replaceAll(FORMULA, "'").replaceAll('"', '""')}"`)
    .join(',');
