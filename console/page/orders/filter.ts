import type { OrderRow } from '../../api.ts';
import { statusWords } from '../parts/format.ts';

/** What of the table is shown, and how it is sorted. */
export interface Filter {
  search: string;
  queue: Queue;
  sort: Sort;
}

/** Whose turn it is, people first. An order may be in several queues. */
const QUEUES = {
  sign: ({ waitingFor }: OrderRow) => waitingFor === 'signatures',
  decide: ({ waitingFor }: OrderRow) => waitingFor === 'decision',
  repair: (row: OrderRow, now: number) => row.waitingFor === 'operator' || isLongUnchanged(row, now),
  open: ({ waitingFor }: OrderRow) => waitingFor !== 'nobody',
  refused: ({ status }: OrderRow) => status === 'VALIDATION_FAILED',
  closed: ({ status, waitingFor }: OrderRow) => waitingFor === 'nobody' && status !== 'VALIDATION_FAILED',
  all: () => true,
};
export type Queue = keyof typeof QUEUES;
const NAMES = Object.keys(QUEUES) as Queue[];

export const SORTS = ['changed', 'age', 'order'] as const;
export type Sort = (typeof SORTS)[number];

export function filterFrom({ search = '', ...query }: Record<string, string>): Filter {
  const queue = NAMES.find((name) => name === query.queue) ?? 'all';
  return { search, queue, sort: SORTS.find((name) => name === query.sort) ?? 'changed' };
}

/** The address of the table with this filter. What is as always is left out. */
export function filterAddress({ search, queue, sort }: Filter): string {
  const all = { search, queue: queue === 'all' ? '' : queue, sort: sort === 'changed' ? '' : sort };
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''));
  return query.size === 0 ? '/' : `/?${query}`;
}

/** How many orders each queue has. Empty ones are left out, except the shown one. */
export function countQueues(rows: Iterable<OrderRow>, shown: Queue, now: number): [Queue, number][] {
  const counts = new Map<Queue, number>(NAMES.map((name) => [name, 0]));
  for (const row of rows)
    for (const name of NAMES) if (QUEUES[name](row, now)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([name, count]) => count > 0 || name === shown);
}

/** Whether the order is unchanged for longer than the stage's alarm allows. */
export function isLongUnchanged({ oldFrom }: OrderRow, now: number): boolean {
  return oldFrom !== undefined && now > Date.parse(oldFrom);
}

const COMPARE: Record<Sort, (one: OrderRow, other: OrderRow) => number> = {
  changed: (one, other) => compare(other.changedAt, one.changedAt),
  age: (one, other) => compare(one.changedAt, other.changedAt),
  order: (one, other) => compare(one.orderRef, other.orderRef),
};

/** localeCompare takes ten times as long, which is noticeable with 10,000 orders. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

export function matchingOrders(rows: Iterable<OrderRow>, filter: Filter, now: number): OrderRow[] {
  const search = filter.search.trim().toLowerCase();
  const found: OrderRow[] = [];
  for (const row of rows) if (QUEUES[filter.queue](row, now) && hasText(row, search)) found.push(row);
  return found.sort(COMPARE[filter.sort]);
}

/** In what the table shows of the order, in the language of the page. */
function hasText({ orderRef, orderId = '', failure = '', status }: OrderRow, search: string): boolean {
  return search === '' || `${orderRef} ${orderId} ${failure} ${statusWords(status)}`.toLowerCase().includes(search);
}
