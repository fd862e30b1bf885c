import type { OrderRow } from '../../api.ts';

/** Which orders the table shows, and in which order. The names are those of `loan-orders list`. */
export interface Filter {
  search: string;
  status: string;
  waitingFor: string;
  failure: string;
  /** A bucket of ages: `age` in AGES. */
  age: string;
  stuck: boolean;
  sort: Sort;
}

export const SORTS = ['changed', 'age', 'order', 'status'] as const;
export type Sort = (typeof SORTS)[number];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How long orders that are not over have been unchanged. Upper bounds are exclusive. */
export const AGES: { name: string; from: number; to: number }[] = [
  { name: '1h', from: 0, to: HOUR },
  { name: '6h', from: HOUR, to: 6 * HOUR },
  { name: '1d', from: 6 * HOUR, to: DAY },
  { name: '3d', from: DAY, to: 3 * DAY },
  { name: '7d', from: 3 * DAY, to: 7 * DAY },
  { name: 'older', from: 7 * DAY, to: Number.POSITIVE_INFINITY },
];

export function filterFrom(query: Record<string, string>): Filter {
  const { search = '', status = '', waitingFor = '', failure = '', age = '', stuck, sort } = query;
  const known = SORTS.find((name) => name === sort) ?? 'changed';
  return { search, status, waitingFor, failure, age, stuck: stuck === 'yes', sort: known };
}

/** The address of the table with this filter. What is not filtered is not in it. */
export function addressOf(filter: Filter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    if (value === true) query.set(name, 'yes');
    else if (typeof value === 'string' && value !== '' && value !== 'changed') query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? '/' : `/?${text}`;
}

export function isFiltered({ sort: _sort, ...filter }: Filter): boolean {
  return Object.values(filter).some((value) => value !== '' && value !== false);
}

export function ageOf({ changedAt }: Pick<OrderRow, 'changedAt'>, now: number): number {
  return Math.max(0, now - Date.parse(changedAt));
}

/** Whether the order is unchanged for longer than the stage's alarm allows. */
export function isOld({ oldFrom }: OrderRow, now: number): boolean {
  return oldFrom !== undefined && now > Date.parse(oldFrom);
}

/** Whether the order needs somebody. */
export function isStuck(row: OrderRow, now: number): boolean {
  return row.waitingFor === 'operator' || isOld(row, now);
}

export function bucketOf(row: OrderRow, now: number): string | undefined {
  if (row.waitingFor === 'nobody') return undefined;
  const age = ageOf(row, now);
  return AGES.find(({ from, to }) => age >= from && age < to)?.name;
}

const COMPARE: Record<Sort, (one: OrderRow, other: OrderRow) => number> = {
  changed: (one, other) => compare(other.changedAt, one.changedAt),
  age: (one, other) => compare(one.changedAt, other.changedAt),
  order: (one, other) => compare(one.orderRef, other.orderRef),
  status: (one, other) => compare(one.status, other.status) || compare(other.changedAt, one.changedAt),
};

/** localeCompare takes ten times as long, which can be felt with 10,000 orders. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** The orders that match, sorted. */
export function matching(rows: Iterable<OrderRow>, filter: Filter, now: number): OrderRow[] {
  const search = filter.search.trim().toLowerCase();
  const found: OrderRow[] = [];
  for (const row of rows) if (matches(row, filter, search, now)) found.push(row);
  return found.sort(COMPARE[filter.sort]);
}

function matches(row: OrderRow, filter: Filter, search: string, now: number): boolean {
  if (filter.status !== '' && row.status !== filter.status) return false;
  if (filter.waitingFor !== '' && row.waitingFor !== filter.waitingFor) return false;
  if (filter.failure !== '' && row.failure !== filter.failure) return false;
  if (filter.age !== '' && bucketOf(row, now) !== filter.age) return false;
  if (filter.stuck && !isStuck(row, now)) return false;
  return search === '' || `${row.orderRef} ${row.orderId ?? ''} ${row.failure ?? ''}`.toLowerCase().includes(search);
}
