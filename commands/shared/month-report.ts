import { type Sum, sumIn } from '../../core/order/labels.ts';
import { isFinal, OPEN_STATUSES, type OrderItem } from '../../core/order/order-item.ts';

/** What a report reads of an order. Those of the labels are gone once the record is reduced. */
export const REPORT_FACTS = [
  ...(['orderRef', 'listedUnder', 'status', 'createdAt', 'dismissed.at', 'report'] as const),
  ...(['labels.amount', 'labels.currency', 'labels.bank'] as const),
];
export type ReportedOrder = Pick<OrderItem, 'orderRef' | 'status' | 'createdAt' | 'dismissed' | 'report' | 'labels'> & {
  listedUnder: string;
};

const isDismissed = ({ status, dismissed }: ReportedOrder) => dismissed !== undefined && !isFinal(status);
const COUNTED = {
  orders: () => true,
  offered: ({ report }) => report?.offered === true,
  taken: ({ report }) => report?.taken === true,
  closed: ({ status }) => status === 'CLOSED',
  refused: ({ status }) => status === 'VALIDATION_FAILED',
  dismissed: isDismissed,
} satisfies Record<string, (order: ReportedOrder) => boolean>;
export type Counted = keyof typeof COUNTED;
const NAMES = Object.keys(COUNTED) as Counted[];

/** Sums are decimal numbers by currency, which is empty if none is named. `withoutSum` orders have none that is a number. */
export interface Tally {
  orders: number;
  sums: Record<string, `${number}`>;
  withoutSum: number;
}

/** Seconds, of so many orders. Half of them took at most the median, a tenth the other or longer. */
export interface Times {
  orders: number;
  median: number;
  slowestTenth: number;
}

/** All months are in UTC. */
export interface MonthReport {
  month: string;
  /** Of the orders that were submitted in the month, whenever they end. */
  submitted: Record<Counted, Tally>;
  /** Of those that ended in it, whenever they were submitted. */
  ended: Record<Counted, Tally>;
  /** Of those that ended in it with an offer taken. One order may have several banks. Empty: unknown. */
  banks: Record<string, Tally>;
  /** How long those that ended in it had each status, all rounds together; `total` from their submission to their end. */
  steps: Record<string, Times>;
  /** The present statuses of those that were submitted in it. */
  now: Record<string, number>;
}

const DECIMALS = 15;

/** Adds decimal numbers, which are not exact in binary. */
class Adder {
  orders = 0;
  withoutSum = 0;
  readonly #units = new Map<string, bigint>();

  add(sum: Sum | undefined): void {
    this.orders += 1;
    if (!sum) this.withoutSum += 1;
    else {
      const [whole, part = ''] = String(sum.amount).split('.');
      const units = BigInt(whole + part.padEnd(DECIMALS, '0'));
      this.#units.set(sum.currency, (this.#units.get(sum.currency) ?? 0n) + units);
    }
  }

  tally(): Tally {
    const sums = [...this.#units].map(([currency, units]) => [currency, decimal(units)]);
    return { orders: this.orders, sums: Object.fromEntries(sums), withoutSum: this.withoutSum };
  }
}

function decimal(units: bigint): `${number}` {
  const digits = String(units < 0n ? -units : units).padStart(DECIMALS + 1, '0');
  const text = `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, '');
  return (units < 0n ? `-${text}` : text) as `${number}`;
}

/** The value of the name, which is made if there is none. */
function at<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const found = map.get(name) ?? make();
  map.set(name, found);
  return found;
}

const newAdder = () => new Adder();
const tallies = (adders: Map<string, Adder>) =>
  Object.fromEntries([...adders].map(([name, adder]) => [name, adder.tally()]));

class Cohort {
  readonly #adders = new Map(NAMES.map((name) => [name, newAdder()]));

  add(order: ReportedOrder, sum: Sum | undefined): void {
    for (const [name, adder] of this.#adders) if (COUNTED[name](order)) adder.add(sum);
  }

  tallies = () => tallies(this.#adders) as Record<Counted, Tally>;
}

/** Only the numbers are kept of each order, so a month may have any number of them. */
export async function monthReport(month: string, orders: AsyncIterable<ReportedOrder>): Promise<MonthReport> {
  const [submitted, ended] = [new Cohort(), new Cohort()];
  const banks = new Map<string, Adder>();
  const seconds = new Map<string, number[]>();
  const totals: number[] = [];
  const now = new Map<string, number>();
  for await (const order of orders) {
    const { status, labels, report } = order;
    const sum = report?.sum ?? sumIn(labels ?? {});
    if (String(order.createdAt).startsWith(month)) {
      submitted.add(order, sum);
      const stands = isDismissed(order) ? 'DISMISSED' : status;
      now.set(stands, at(now, stands, () => 0) + 1);
    }
    if (order.listedUnder !== month) continue;
    ended.add(order, sum);
    if (COUNTED.taken(order)) at(banks, String(labels?.bank ?? ''), newAdder).add(sum);
    const times = Object.entries(report?.seconds ?? {}).filter(([, spent]) => typeof spent === 'number');
    for (const [step, spent] of times) at(seconds, step, () => [] as number[]).push(spent);
    if (isFinal(status) && times.length > 0) totals.push(times.reduce((all, [, spent]) => all + spent, 0));
  }
  const byOrders = ([, one]: [string, Adder], [, other]: [string, Adder]) => other.orders - one.orders;
  const most = new Map([...banks].sort(byOrders));
  const all: [string, number[]][] = [
    ...sorted(seconds),
    ...(totals.length > 0 ? [['total', totals] as [string, number[]]] : []),
  ];
  const steps = all.map(([step, spent]) => [step, timesOf(spent)]);
  const lists = { banks: tallies(most), steps: Object.fromEntries(steps), now: Object.fromEntries(sorted(now)) };
  return { month, submitted: submitted.tallies(), ended: ended.tallies(), ...lists };
}

const PLACES = new Map<string, number>(OPEN_STATUSES.map((status, place) => [status, place]));

/** Statuses in the order in which an order has them, then all others. */
function sorted<Value>(byStatus: Map<string, Value>): [string, Value][] {
  const placeOf = (status: string) => PLACES.get(status) ?? PLACES.size;
  return [...byStatus].sort(([one], [other]) => placeOf(one) - placeOf(other));
}

function timesOf(spent: number[]): Times {
  const ordered = spent.toSorted((one, other) => one - other);
  const upTo = (tenths: number) => ordered[Math.ceil((ordered.length * tenths) / 10) - 1] ?? 0;
  return { orders: ordered.length, median: upTo(5), slowestTenth: upTo(9) };
}
