import type { OrderRow } from '../../api.ts';
import { statusWords, sumOf } from '../parts/format.ts';

/** What of the table is shown, and how it is sorted. */
export interface Filter {
  search: string;
  queue: Queue;
  sort: Sort;
  /** In the queue of closed orders: the month of their end, such as `2026-11`. Empty for the last ones. */
  month: string;
}

/** Whose turn it is, people first. An order may be in several queues. */
const QUEUES = {
  sign: ({ waitingFor }: OrderRow) => waitingFor === 'signatures',
  decide: ({ waitingFor }: OrderRow) => waitingFor === 'decision',
  repair: (row: OrderRow, now: number) =>
    row.repair !== undefined || (row.waitingFor === 'service' && isLongUnchanged(row, now)),
  refused: ({ status }: OrderRow) => status === 'VALIDATION_FAILED',
  open: ({ waitingFor }: OrderRow) => waitingFor !== 'nobody',
  closed: ({ status, waitingFor }: OrderRow) => waitingFor === 'nobody' && status !== 'VALIDATION_FAILED',
  all: () => true,
};
export type Queue = keyof typeof QUEUES;
const NAMES = Object.keys(QUEUES) as Queue[];

export type Repair = NonNullable<OrderRow['repair']>;
/** An order that is unchanged for too long needs a look. */
export const repairOf = ({ repair = 'look' }: OrderRow): Repair => repair;
/** As the queue of repairs shows them: what one button does comes first. */
const REPAIRS: Repair[] = ['resolve', 'retry', 'dismiss', 'look', 'heals'];
const byRepair: Compare = (one, other) => REPAIRS.indexOf(repairOf(one)) - REPAIRS.indexOf(repairOf(other));

type Compare = (one: OrderRow, other: OrderRow) => number;
const longest: Compare = (one, other) =>
  compare(one.waitingSince ?? one.changedAt, other.waitingSince ?? other.changedAt);
/** An order without a date comes last. */
const LAST = '\uffff';
const collator = new Intl.Collator();
/** A sum that is no number comes last. */
const sumIn = ({ amount }: OrderRow) => (Number.isFinite(Number(amount ?? '-')) ? Number(amount) : -Number.MAX_VALUE);
const COMPARE = {
  changed: (one, other) => compare(other.changedAt, one.changedAt),
  due: (one, other) => compare(one.due ?? LAST, other.due ?? LAST) || longest(one, other),
  waiting: longest,
  company: (one, other) => collator.compare(String(one.company ?? LAST), String(other.company ?? LAST)),
  sum: (one, other) => sumIn(other) - sumIn(one),
} satisfies Record<string, Compare>;
export type Sort = keyof typeof COMPARE;
export const SORTS = Object.keys(COMPARE) as Sort[];

/** What people must do is sorted by its deadline. */
const usualSort = (queue: Queue): Sort => (queue === 'sign' || queue === 'decide' ? 'due' : 'changed');

export function filterFrom({ search = '', month = '', ...query }: Record<string, string>): Filter {
  const queue = NAMES.find((name) => name === query.queue) ?? 'all';
  const sort = SORTS.find((name) => name === query.sort) ?? usualSort(queue);
  return { search, queue, sort, month: queue === 'closed' && /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? month : '' };
}

/** The address of the table with this filter, also in another queue. What is as always is left out. */
export function filterAddress({ search, month, ...shown }: Filter, queue = shown.queue): string {
  // Unless a person sorted, each queue is sorted as usual.
  const sort = shown.sort === usualSort(shown.queue) ? usualSort(queue) : shown.sort;
  const all = {
    search,
    queue: queue === 'all' ? '' : queue,
    sort: sort === usualSort(queue) ? '' : sort,
    month: queue === 'closed' ? month : '',
  };
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''));
  return query.size === 0 ? '/' : `/?${query}`;
}

/** How many orders each queue has, without those that heal by themselves. Queues without orders are left out, except the shown one. */
export function countQueues(rows: Iterable<OrderRow>, shown: Queue, now: number): [Queue, number][] {
  const counts = new Map<Queue, number>([[shown, 0]]);
  const weight = (name: Queue, { repair }: OrderRow) => Number(name !== 'repair' || repair !== 'heals');
  for (const row of rows)
    for (const name of NAMES) if (QUEUES[name](row, now)) counts.set(name, (counts.get(name) ?? 0) + weight(name, row));
  return NAMES.flatMap((name) => (counts.has(name) ? [[name, counts.get(name) ?? 0]] : []));
}

/** Whether the order is unchanged for longer than the stage's alarm allows. */
export function isLongUnchanged({ oldFrom }: OrderRow, now: number): boolean {
  return oldFrom !== undefined && now > Date.parse(oldFrom);
}

/** localeCompare takes ten times as long, which is noticeable with 10,000 orders. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

export function matchingOrders(rows: Iterable<OrderRow>, filter: Filter, now: number): OrderRow[] {
  const search = searched(filter.search);
  const found: OrderRow[] = [];
  for (const row of rows) if (QUEUES[filter.queue](row, now) && hasText(row, search)) found.push(row);
  const order = COMPARE[filter.sort];
  return found.sort(filter.queue === 'repair' ? (one, other) => byRepair(one, other) || order(one, other) : order);
}

/** As people type it: digits with any grouping or none, ё or е. */
const searched = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\d)[ ,](?=\d)/g, '');

/** In what the table shows of the order, in the language of the page. */
function hasText(row: OrderRow, search: string): boolean {
  if (search === '') return true;
  const { orderRef, orderId = '', failure = '', status, company = '', inn = '', bank = '', amount = '' } = row;
  const text = [company, orderRef, inn, amount, sumOf(row), bank, orderId, failure, statusWords(status)].join('|');
  return searched(text).includes(search);
}
