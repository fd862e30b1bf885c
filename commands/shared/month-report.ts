import { BETWEEN_BANKS, sumIn } from '../../core/order/labels.ts';
import { isFinal, OPEN_STATUSES, type OrderItem } from '../../core/order/order-item.ts';

/** What a report reads of an order. The labels are gone once the record is reduced. */
export const REPORT_FACTS =
  'orderRef listedUnder status createdAt dismissed.at report labels.amount labels.currency labels.bank'.split(' ');
export type ReportedOrder = Partial<OrderItem> & Pick<OrderItem, 'orderRef' | 'status'>;

const PARTS = ['submitted', 'now', 'ended', 'bank', 'step'] as const;
const COUNTED = ['orders', 'offered', 'taken', 'closed', 'refused', 'dismissed'] as const;
const NAMES: string[] = [...COUNTED, ...OPEN_STATUSES, 'total'];

/**
 * A number of orders, and their sums by currency (empty: none is named). `submitted`: of the orders that were submitted in the month; `now`:
 * those by status. `ended`: of the orders that ended in it; `bank`: those with an offer taken (empty: unknown); `step`: those by status.
 */
export interface ReportLine {
  part: (typeof PARTS)[number];
  what: string;
  orders: number;
  /** Their sum is no number, or its currency not three letters. */
  withoutSum: number;
  sums: Record<string, number>;
  /** Seconds in the status, all rounds together: half of the orders had at most the median, a tenth the other or more. */
  times?: { median: number; slowestTenth: number };
}

/** An order that was dismissed and goes on again is listed there until its next change. */
const isEndedIn = ({ status, dismissed, listedUnder }: ReportedOrder, month: string) =>
  listedUnder === month && (isFinal(status) || !!dismissed);

function* placesOf(order: ReportedOrder, month: string): Generator<[ReportLine['part'], string, number?]> {
  const { status, labels, report: { offered, taken, seconds = {} } = {} } = order;
  const [isSubmitted, isEnded] = [String(order.createdAt).startsWith(month), isEndedIn(order, month)];
  const [closed, refused] = [status === 'CLOSED', status === 'VALIDATION_FAILED'];
  const is = { orders: true, offered, taken, closed, refused, dismissed: !isFinal(status) && !!order.dismissed };
  for (const name of COUNTED) {
    if (is[name] && isSubmitted) yield ['submitted', name];
    if (is[name] && isEnded) yield ['ended', name];
  }
  if (isSubmitted) yield ['now', is.dismissed ? 'dismissed' : status];
  const banks = taken && isEnded ? String(labels?.bank ?? '').split(BETWEEN_BANKS) : [];
  for (const bank of banks) yield ['bank', bank];
  const steps = isEnded ? Object.entries(seconds) : [];
  for (const [step, spent] of steps) yield ['step', step, spent];
  if (steps.length > 0 && isFinal(status)) yield ['step', 'total', steps.reduce((all, [, spent]) => all + spent, 0)];
}

/** @param month such as `2026-11`, in UTC. Only numbers are kept of each order, so it may have any number of them. */
export async function monthReport(month: string, orders: AsyncIterable<ReportedOrder>): Promise<ReportLine[]> {
  const counts = new Map<string, { line: ReportLine; seconds: number[] }>();
  const countOf = (part: ReportLine['part'], what: string) => {
    const line: ReportLine = { part, what, orders: 0, withoutSum: 0, sums: {} };
    const count = counts.get(`${part} ${what}`) ?? { line, seconds: [] };
    counts.set(`${part} ${what}`, count);
    return count;
  };
  for (const name of COUNTED) for (const part of ['submitted', 'ended'] as const) countOf(part, name);
  for await (const order of orders) {
    const sum = order.report?.sum ?? sumIn(order.labels ?? {});
    for (const [part, what, spent] of placesOf(order, month)) {
      const { line, seconds } = countOf(part, what);
      line.orders += 1;
      if (spent !== undefined) seconds.push(spent);
      if (!sum) line.withoutSum += 1;
      // To 15 digits after each addition: decimal fractions are not exact in binary.
      else line.sums[sum.currency] = Number(((line.sums[sum.currency] ?? 0) + sum.amount).toPrecision(15));
    }
  }
  const lines = [...counts.values()].map(({ line, seconds }) => ({ ...line, ...timesOf(seconds) }));
  const placeOf = ({ part, what }: ReportLine) => PARTS.indexOf(part) * 100 + ((NAMES.indexOf(what) + 100) % 100);
  return lines.sort((one, other) => placeOf(one) - placeOf(other) || other.orders - one.orders);
}

function timesOf(seconds: number[]): Pick<ReportLine, 'times'> {
  seconds.sort((one, other) => one - other);
  const upTo = (tenths: number) => seconds[Math.ceil((seconds.length * tenths) / 10) - 1] ?? 0;
  return seconds.length > 0 ? { times: { median: upTo(5), slowestTenth: upTo(9) } } : {};
}
