import { type Command, InvalidArgumentError } from 'commander';
import leven from 'leven';
import { OPEN_STATUSES, UNCHANGED_HOURS, type WaitingFor } from '../../core/order/order-item.ts';
import { FAILURE_NAMES, isFailureName } from './failure-advice.ts';
import type { ListedOrder } from './order-details.ts';
import type { OrderRecord } from './record.ts';
import { plain, Refusal } from './text.ts';

export interface OrderFilter {
  status?: string;
  waitingFor?: WaitingFor;
  /** All orders that ended at this time or later are listed. Without it, only the last ones. */
  since?: string;
  /** The name of a failure, as `show` prints it. */
  failure?: string;
  /** Milliseconds since the last change. */
  olderThan?: number;
  /** Orders that need attention: they wait for an operator, or are unchanged for longer than the alarm allows. */
  stuck?: true;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const UNITS: Record<string, number> = { m: MINUTE, h: HOUR, d: 24 * HOUR };

/** Parses `30m`, `12h` or `3d` into milliseconds. */
export function duration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (UNITS[unit] as number);
  throw new InvalidArgumentError('It is not a time: write minutes, hours or days, such as 30m, 12h or 3d.');
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--status <status>', "only orders with this status (one of the service's, or RECEIVED)")
    .option('--failure <name>', 'only orders that stopped with this failure, such as Unauthorized')
    .option('--older-than <time>', 'only orders without a change for this long, such as 30m, 12h or 3d', duration);
}

const STATUSES = [...OPEN_STATUSES, 'VALIDATION_FAILED', 'CLOSED'];

/**
 * Checks the names of a filter. The service may use other statuses, and AWS other failures, so a name that some order has is accepted too.
 * @throws Refusal if no order can have the status or the failure: an empty list after a typing error would look as if everything were fine.
 */
export async function checkFilter(record: Pick<OrderRecord, 'list'>, { status, failure }: OrderFilter): Promise<void> {
  const isFailure = (name: string) => name.toLowerCase() === failure?.toLowerCase();
  const isStatusKnown = status === undefined || STATUSES.includes(status);
  const isFailureKnown = failure === undefined || isFailureName(failure) || FAILURE_NAMES.some(isFailure);
  if (isStatusKnown && isFailureKnown) return;
  const orders = await record.list();
  const statuses = [...STATUSES, ...orders.map((order) => order.status)];
  const failures = [...FAILURE_NAMES, ...orders.flatMap((order) => order.failure?.error ?? [])];
  if (!isStatusKnown && !statuses.includes(status)) throw unknown('status', status, statuses);
  if (!isFailureKnown && !failures.some(isFailure)) throw unknown('failure', failure, failures);
}

function unknown(kind: string, given: string, names: string[]): Refusal {
  const distance = (name: string) => leven(name.toLowerCase(), given.toLowerCase());
  const [nearest = ''] = names.toSorted((one, other) => distance(one) - distance(other));
  return new Refusal(
    `No order can have the ${kind} ${plain(given)}. The nearest one is ${plain(nearest)}. Nothing was done.`,
  );
}

export function matching(orders: ListedOrder[], filter: OrderFilter, now: number): ListedOrder[] {
  const { failure, olderThan = 0, stuck } = filter;
  return orders.filter((order) => {
    if (failure !== undefined && order.failure?.error.toLowerCase() !== failure.toLowerCase()) return false;
    return age(order, now) >= olderThan && (!stuck || order.waitingFor === 'operator' || isOld(order, now));
  });
}

/** Milliseconds since the order's last change. */
export function age({ changedAt }: Pick<ListedOrder, 'changedAt'>, now: number): number {
  return Math.max(0, now - Date.parse(changedAt));
}

export function isOld(order: ListedOrder, now: number): boolean {
  const from = oldFrom(order);
  return from !== undefined && now > from;
}

/** The time from which the order counts as unchanged for too long, in milliseconds. Undefined if there is none. */
export function oldFrom({ status, waitingFor, changedAt }: ListedOrder): number | undefined {
  const allowed = UNCHANGED_HOURS[status];
  return waitingFor === 'nobody' || allowed === undefined ? undefined : Date.parse(changedAt) + allowed * HOUR;
}
