import { Option } from 'commander';
import { type AddCommand, PARTIES, positive, since, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { csvLine } from './shared/csv.ts';
import { adviceOn } from './shared/failure-advice.ts';
import { valueText } from './shared/offer-view.ts';
import { type DoubtfulCreation, type ListedOrder, waitingSince } from './shared/order-details.ts';
import { addFilterOptions, age, checkFilter, isOld, matching, type OrderFilter } from './shared/order-filter.ts';
import { listRejected, type RejectedOptions, type SortKey } from './shared/rejected-lines.ts';
import { saidOnce } from './shared/said-once.ts';
import { orDenied } from './shared/service-words.ts';
import {
  type CommandResult,
  columns,
  formatSpan,
  type Meaning,
  meaningOf,
  plain,
  some,
  truncate,
} from './shared/text.ts';

interface ListOptions extends OrderFilter, RejectedOptions {
  csv?: true;
  /** Lists rejected uploads instead of orders. */
  rejected?: true;
}

export const addList: AddCommand = (program, perform) => {
  const needSomebody =
    "only orders that wait for an operator, or are unchanged for longer than the stage's alarm allows";
  const rejected = 'what became no order: packages with problems, and uploads that belong to no order';
  const sort = new Option('--sort <by>', 'changed: newest change first; age: oldest change first');
  return addFilterOptions(program.command('list').description('list the open orders, and the last that ended'))
    .addOption(new Option('--waiting-for <party>', 'only orders that wait for this party').choices(PARTIES))
    .option('--stuck', needSomebody)
    .option('--since <time>', 'all orders that ended since, such as 30d or 2026-11; default: the last 100', since)
    .addOption(
      new Option('--rejected', rejected).conflicts(['status', 'failure', 'waitingFor', 'stuck', 'since', 'csv']),
    )
    .option('--csv', 'print a table for spreadsheets')
    .addOption(sort.choices(Object.keys(ORDER_BY)).default('changed'))
    .option('--limit <count>', 'at most so many orders, or lines', positive)
    .action(withConnection(perform, list));
};

const HEADINGS = ['ORDER', 'WAITING FOR', 'STATUS', 'UNCHANGED', 'FAILURE'];
/** Only if the package of any order says it. */
const RECOGNISED = ['COMPANY', 'SUM'];

const PEOPLE_FIRST = ['operator', 'signatures', 'decision', 'service'] as const;

/** Orders that are equal are sorted by their newest change. */
const ORDER_BY: Record<SortKey, (one: ListedOrder, other: ListedOrder) => number> = {
  changed: () => 0,
  age: (one, other) => one.changedAt.localeCompare(other.changedAt),
  order: (one, other) => one.orderRef.localeCompare(other.orderRef),
  status: (one, other) => one.status.localeCompare(other.status),
};

const CSV_HEAD = Object.keys(listedView({} as ListedOrder));

/** Whom the orders wait for, the matching orders, and what to do about stopped ones. */
async function list(connection: StageConnection, options: ListOptions): Promise<CommandResult> {
  if (options.rejected) return listRejected(connection, options);
  const { record } = connection;
  await checkFilter(record, options);
  const now = Date.now();
  const read = await record.list(options);
  const isAll = options.status === undefined && options.waitingFor === undefined;
  const found = matching(read, options, now).sort(ORDER_BY[options.sort]);
  const shown = found.slice(0, options.limit);
  const json = shown.map(listedView);
  if (options.csv) return { lines: [CSV_HEAD, ...json.map(Object.values)].map(csvLine), json };
  const more = found.length - shown.length;
  const lines = shown.length > 0 ? table(shown, now) : ['No matching orders.'];
  return {
    lines: [
      ...(isAll ? [countLine(read, options), ...(await rejectedLines(connection)), ''] : []),
      ...lines,
      ...(more > 0 ? ['', `${some(more, 'more order')}: raise --limit, or narrow the list.`] : []),
      ...adviceLines(shown, await record.doubtfulCreations(shown)),
    ],
    json,
  };
}

function countLine(orders: ListedOrder[], { since }: OrderFilter): string {
  const count = (party: string) => orders.filter(({ waitingFor }) => waitingFor === party).length;
  const counts = PEOPLE_FIRST.map((party) => `${count(party)} ${party}`);
  return `Waiting for: ${counts.join(', ')}. Over${since ? '' : ' (the last; all: --since)'}: ${count('nobody')}.`;
}

/** Empty without the right to read staging. */
async function rejectedLines({ rejected }: StageConnection): Promise<string[]> {
  const seen = await orDenied(async () => (await rejected()).list());
  const count = 'denied' in seen ? 0 : seen.lines.length + seen.older;
  return count === 0 ? [] : [`Rejected: ${count}. See "loan-orders list --rejected".`];
}

/** The next step for each kind of failure, with its orders. */
function adviceLines(orders: ListedOrder[], creations: ReadonlyMap<string, DoubtfulCreation>): string[] {
  const stopped = orders.filter(
    ({ waitingFor, failure }) => waitingFor === 'operator' || (waitingFor === 'service' && failure),
  );
  const said = stopped.map(({ orderRef, ...order }) => {
    const { happened, step, command } = adviceOn({ orderRef, ...order, creation: creations.get(orderRef) });
    return { orderRef, said: `${happened} ${step}\n${command}` };
  });
  return said.length === 0 ? [] : ['', 'What to do', ...saidOnce(said)];
}

/** What a cell of an order's line means. The headings have no order. */
function meaning(cell: string, heading: string, order: ListedOrder | undefined, now: number): Meaning {
  if (!order) return 'none';
  if (heading === 'STATUS') return meaningOf(cell);
  if (heading === 'WAITING FOR') return cell === 'operator' ? 'bad' : 'none';
  if (heading === 'FAILURE') return order.failure ? 'bad' : 'none';
  return heading === 'UNCHANGED' && isOld(order, now) ? 'attention' : 'none';
}

function table(orders: ListedOrder[], now: number): string[] {
  const recognised = orders.map(({ labels = {} }) => [
    truncate(plain(String(labels.company ?? '')), 30),
    [labels.amount, labels.currency].flatMap((label) => (label === undefined ? [] : valueText(label))).join(' '),
  ]);
  const isAny = recognised.flat().some(Boolean);
  const headings = HEADINGS.toSpliced(1, 0, ...(isAny ? RECOGNISED : []));
  const rows = orders.map((order, at) => row(order, now).toSpliced(1, 0, ...((isAny && recognised[at]) || [])));
  return columns([headings, ...rows], (cell, column, line) =>
    meaning(cell, headings[column] ?? '', orders[line - 1], now),
  );
}

function row(order: ListedOrder, now: number): string[] {
  const { orderRef, status, waitingFor, failure } = order;
  return [orderRef, waitingFor, status, formatSpan(age(order, now)), failure?.error ?? ''];
}

/** A line of `list` for scripts and the console. `failure` is its name. */
export type ListedView = ReturnType<typeof listedView>;

export function listedView({ labels, failure, ...order }: ListedOrder) {
  const { orderRef, status, waitingFor, orderId, generation, changedAt, createdAt, due } = order;
  const { offered, taken, sum } = order.report ?? {};
  const { company, inn, amount = sum?.amount, currency = sum?.currency, bank } = labels ?? {};
  const listed = { orderRef, status, waitingFor, orderId, generation, changedAt, failure: failure?.error };
  const times = { createdAt, waitingSince: waitingSince(order), due };
  return { ...listed, company, inn, amount, currency, bank, ...times, offered, taken };
}
