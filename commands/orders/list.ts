import { type Meaning, meaningOf } from '../colours.ts';
import type { Answer } from '../refusal.ts';
import type { Connection } from '../stage/connection.ts';
import type { ListedOrder } from '../stage/record.ts';
import { columns, some, span, time } from '../text.ts';
import { age, checkFilter, isOld, matching, type OrderFilter } from './order-filter.ts';

export type SortKey = 'changed' | 'age' | 'order' | 'status';

export interface ListOptions extends OrderFilter {
  /** Lists what was rejected, not orders. */
  rejected?: true;
  sort: SortKey;
  limit?: number;
}

const HEADINGS = ['ORDER', 'STATUS', 'WAITING FOR', 'GENERATION', 'CHANGED', 'UNCHANGED FOR', 'FAILURE'];

/** Orders that are equal are sorted by their newest change. */
const ORDER_BY: Record<SortKey, (one: ListedOrder, other: ListedOrder) => number> = {
  changed: () => 0,
  age: (one, other) => one.changedAt.localeCompare(other.changedAt),
  order: (one, other) => one.orderRef.localeCompare(other.orderRef),
  status: (one, other) => one.status.localeCompare(other.status),
};

/** `list`: the orders that match, and how long each has been unchanged. */
export async function list({ record }: Connection, stage: string, options: ListOptions): Promise<Answer> {
  await checkFilter(record, options);
  const now = Date.now();
  const found = matching(await record.list(options), options, stage, now).sort(ORDER_BY[options.sort]);
  const shown = found.slice(0, options.limit);
  const more = found.length - shown.length;
  const lines =
    shown.length > 0
      ? columns([HEADINGS, ...shown.map((order) => row(order, now))], (cell, column, line) =>
          meaning(cell, HEADINGS[column] ?? '', shown[line - 1], { stage, now }),
        )
      : ['No matching orders.'];
  return {
    lines: more > 0 ? [...lines, '', `${some(more, 'more order')}: raise --limit, or narrow the list.`] : lines,
    json: shown.map(listedView),
  };
}

/** What a cell of an order's line means. The headings have no order. */
function meaning(
  cell: string,
  heading: string,
  order: ListedOrder | undefined,
  { stage, now }: { stage: string; now: number },
): Meaning {
  if (!order) return 'none';
  if (heading === 'STATUS') return meaningOf(cell);
  if (heading === 'WAITING FOR') return cell === 'operator' ? 'bad' : 'none';
  if (heading === 'FAILURE') return order.failure ? 'bad' : 'none';
  return heading === 'UNCHANGED FOR' && isOld(order, stage, now) ? 'attention' : 'none';
}

function row(order: ListedOrder, now: number): string[] {
  const { orderRef, status, waitingFor, generation, changedAt, failure } = order;
  const unchanged = span(age(order, now));
  return [orderRef, status, waitingFor, String(generation), time(changedAt), unchanged, failure?.error ?? ''];
}

/** A line of `list` for scripts and the console. `failure` is its name. */
export type ListedView = ReturnType<typeof listedView>;

export function listedView({ orderRef, status, waitingFor, orderId, generation, changedAt, failure }: ListedOrder) {
  return { orderRef, status, waitingFor, orderId, generation, changedAt, failure: failure?.error };
}
