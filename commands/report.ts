import { type AddCommand, month, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { csvLine } from './shared/csv.ts';
import { monthReport, type ReportLine } from './shared/month-report.ts';
import { valueText } from './shared/offer-view.ts';
import { type CommandResult, columns } from './shared/text.ts';

export const addReport: AddCommand = (program, perform) =>
  program
    .command('report')
    .description('count the orders of a month, their sums, and how long each step took')
    .requiredOption('--month <month>', 'such as 2026-11, in UTC', month)
    .option('--csv', 'print a table for spreadsheets')
    .action(withConnection(perform, report));

const MEANINGS = [
  'submitted: in the month (UTC), whenever they end; now: their present status. ended: in the month; bank: with an offer taken;',
  'step: in this status, half at most the median, a tenth the slowest tenth or longer. Sums are asked for, and are numbers.',
];

async function report({ record }: StageConnection, options: { month: string; csv?: true }): Promise<CommandResult> {
  const json = await monthReport(options.month, record.ofMonth(options.month));
  const table = reportTable(json);
  const lines = options.csv
    ? table.map(csvLine)
    : [...columns(table.map((row) => row.map(valueText))), '', ...MEANINGS];
  return { lines, json };
}

/** The headings and the lines. Each currency has a column. */
export function reportTable(lines: ReportLine[]): unknown[][] {
  const currencies = [...new Set(lines.flatMap(({ sums }) => Object.keys(sums)))].sort();
  const heads = ['PART', 'WHAT', 'ORDERS', 'WITHOUT SUM', 'MEDIAN SECONDS', 'SLOWEST TENTH SECONDS'];
  const rows = lines.map(({ part, what, orders, withoutSum, times: { median, slowestTenth } = {}, sums }) => {
    return [part, what, orders, withoutSum, median, slowestTenth, ...currencies.map((currency) => sums[currency])];
  });
  return [[...heads, ...currencies.map((currency) => `SUM ${currency}`.trim())], ...rows];
}
