import { type AddCommand, month, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { csvLine } from './shared/csv.ts';
import { type MonthReport, monthReport, type Tally, type Times } from './shared/month-report.ts';
import { type CommandResult, columns, formatSpan } from './shared/text.ts';

export const addReport: AddCommand = (program, perform) =>
  program
    .command('report')
    .description('count the orders of a month, their sums, and how long each step took')
    .requiredOption('--month <month>', 'such as 2026-11, in UTC', month)
    .option('--csv', 'print a table for spreadsheets')
    .action(withConnection(perform, report));

const MEANINGS = [
  'submitted: of the orders that were submitted in the month, whenever they end. now: their present status.',
  'ended: of those that ended in it. bank: of those with an offer taken. step: how long they had each status:',
  'half of them at most the median, a tenth of them the slowest tenth or longer.',
  'Sums are what the packages ask for. Orders without a number are in none. The month is in UTC.',
];

async function report({ record }: StageConnection, options: { month: string; csv?: true }): Promise<CommandResult> {
  const json = await monthReport(options.month, record.ofMonth(options.month));
  const table = reportTable(json);
  if (options.csv) return { lines: table.map(csvLine), json };
  const [heads = [], ...rows] = table.map((row) => row.slice(1));
  const isSpan = heads.map((head) => String(head).endsWith(SECONDS));
  const cell = (value: unknown, column: number) => {
    if (value === undefined || column < 2) return String(value ?? '');
    return isSpan[column] ? formatSpan(Number(value) * 1000) : GROUPED.format(value as number | `${number}`);
  };
  const titles = heads.map((head) => String(head).replace(SECONDS, '').toUpperCase());
  return { lines: [...columns([titles, ...rows.map((row) => row.map(cell))]), '', ...MEANINGS], json };
}

const SECONDS = ' seconds';
const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 15 });

/** A column for each currency. Banks that are unknown have no name. */
export function reportTable({ month, submitted, now, ended, banks, steps }: MonthReport): unknown[][] {
  const standing = Object.fromEntries(Object.entries(now).map(([status, orders]) => [status, { orders }]));
  const parts: Record<string, Record<string, Partial<Tally & Times>>> = {
    submitted,
    now: standing,
    ended,
    bank: banks,
    step: steps,
  };
  const lines = Object.entries(parts).flatMap(([part, counts]) =>
    Object.entries(counts).map(([what, count]) => ({ part, what, ...count })),
  );
  const currencies = [...new Set(lines.flatMap(({ sums = {} }) => Object.keys(sums)))].sort();
  const times = [`median${SECONDS}`, `slowest tenth${SECONDS}`];
  const heads = [
    'month',
    'part',
    'what',
    'orders',
    'without a sum',
    ...times,
    ...currencies.map((one) => `sum ${one}`.trim()),
  ];
  const rows = lines.map(({ part, what, orders, withoutSum, median, slowestTenth, sums = {} }) => {
    const found = currencies.map((currency) => sums[currency]);
    return [month, part, what, orders, withoutSum, median, slowestTenth, ...found];
  });
  return [heads, ...rows];
}
