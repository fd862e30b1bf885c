import { allOf, type RecordTable } from '../../core/aws/record-table.ts';
import { readEntry, type StoredEntry } from '../../core/ledger/entry.ts';
import { joinStates } from '../../core/order/decision-states.ts';
import { withReport } from '../../core/order/operators-word.ts';
import {
  BY_LIST,
  BY_WAITING,
  type DataToRemove,
  type OrderItem,
  type WaitingFor,
} from '../../core/order/order-item.ts';
import { readDelayOf } from '../../core/order/read-delay.ts';
import { addToTimeline, type Line } from '../../core/order/timeline.ts';
import { stagedIn } from '../../core/order/to-sign.ts';
import { monthsSince } from '../../core/time.ts';
import { type KnownLoan, LOAN_FACTS } from './alike-orders.ts';
import { ignoring, isAccessDenied } from './failure.ts';
import { REPORT_FACTS, type ReportedOrder } from './month-report.ts';
import {
  CREATION,
  type DoubtfulCreation,
  isCreatedAs,
  type ListedOrder,
  noOrder,
  OPERATION_PREFIX,
  type OperationEntry,
  type OrderDetails,
} from './order-details.ts';
import { timelineOf } from './timeline.ts';

const OPEN_PARTIES = ['service', 'signatures', 'decision', 'operator'] as const satisfies WaitingFor[];
/** How many of the orders that are over are listed without a time. */
const LAST_ORDERS = 100;
const OVER = ['files-to-remove', 'record-to-reduce'] as const satisfies DataToRemove[];

type ListFilter = Partial<Pick<OrderItem, 'status' | 'waitingFor'> & { since: string }>;
const changedFrom = (value: string) => ({ key: 'changedAt', value, is: 'at least' }) as const;

export class OrderRecord {
  readonly table: RecordTable;

  constructor(table: RecordTable) {
    this.table = table;
  }

  /** @throws Refusal when there is no such order. */
  async details(orderRef: string): Promise<OrderDetails> {
    const details = await this.findDetails(orderRef);
    if (details) return details;
    throw noOrder(orderRef);
  }

  addToTimeline(orderRef: string, what: Line['what'], facts?: Line['facts']): Promise<void> {
    return addToTimeline(orderRef, what, facts, this.table);
  }

  async findDetails(orderRef: string): Promise<OrderDetails | undefined> {
    const items = await this.table.queryItems<{ orderRef: string; item: string }>(orderRef);
    const order = items.find(({ item }) => item === 'order') as OrderItem | undefined;
    if (!order) return undefined;
    const startingWith = (prefix: string) => items.filter(({ item }) => item.startsWith(prefix));
    const entries = startingWith(OPERATION_PREFIX) as unknown as (StoredEntry & { orderRef: string })[];
    const operations: OperationEntry[] = entries.map((entry) => readEntry(withReport(entry)));
    operations.sort((one, other) => one.intendedAt.localeCompare(other.intendedAt));
    const { choices, version } = order.decision;
    const decision = version > 0 ? { ...order.decision, choices: joinStates(choices, operations) } : undefined;
    return {
      order,
      decision,
      operations,
      timeline: timelineOf(items),
      reads: startingWith('read#') as unknown as OrderDetails['reads'],
      decisionWait: (startingWith('callback#decision') as unknown as { since: string; until?: string }[])
        .sort((one, other) => one.since.localeCompare(other.since))
        .at(-1),
      toSign: stagedIn(items).sort((one, other) => one.round - other.round),
    };
  }

  /** The orders that are not over, and the last that ended, as far as they match, newest change first. Indexes may lag by a second. */
  async list({ status, waitingFor, since }: ListFilter = {}): Promise<ListedOrder[]> {
    // Until the next sweep, an order that was dismissed is found where it waited.
    const isOver = waitingFor === undefined || waitingFor === 'nobody';
    const found = await Promise.all([
      this.#openFor(isOver ? OPEN_PARTIES : [waitingFor]),
      ...(isOver ? [this.#over(since).then((orders) => this.#recognisable(orders))] : []),
    ]);
    const orders = found.flat().filter((order) => {
      return (status ?? order.status) === order.status && (waitingFor ?? order.waitingFor) === order.waitingFor;
    });
    return newestOfEach(orders.map(printable));
  }

  /**
   * The orders that changed at this time or later and still have data. One that only older releases have recorded may be missing:
   * {@link list} has it.
   */
  async changedSince(since: string): Promise<ListedOrder[]> {
    const found = await Promise.all([
      ...OPEN_PARTIES.map((party) => this.#listed(party, since)),
      ...OVER.map((whom) => this.#waiting(whom, since)),
    ]);
    return newestOfEach((await this.#recognisable(found.flat())).map(printable));
  }

  /** The orders that changed at this time or later and still have data, with what drives them. */
  async changed(since: string): Promise<ListedOrder[]> {
    const found = await Promise.all([...OPEN_PARTIES, ...OVER].map((whom) => this.#waiting(whom, since)));
    return newestOfEach(found.flat());
  }

  /** The orders that ended in a month such as `2026-11`, newest first, at most so many: one request, so at most 1 MB. */
  async ended(month: string, most: number): Promise<ListedOrder[]> {
    return (await this.table.queryLast<ListedOrder>(BY_LIST, 'listedUnder', month, most)).map(printable);
  }

  /** The orders that ended in a month such as `2026-11`, and the others that were submitted in it, each once. */
  async *ofMonth(month: string): AsyncGenerator<ReportedOrder> {
    const seen = new Set<string>();
    for (const key of [...OPEN_PARTIES, ...monthsSince(month)]) {
      const begins: [string, string] | undefined = key === month ? undefined : ['createdAt', month];
      const found = this.table.queryFacts<ReportedOrder>(BY_LIST, ['listedUnder', key], REPORT_FACTS, { begins });
      for await (const order of found) if (!seen.has(order.orderRef) && seen.add(order.orderRef)) yield order;
    }
  }

  /** Of the orders that changed at this time or later: what tells that two may be one loan. */
  async *loansSince(since: string): AsyncGenerator<KnownLoan> {
    for (const key of [...OPEN_PARTIES, ...monthsSince(since)])
      yield* this.table.queryFacts(BY_LIST, ['listedUnder', key], LOAN_FACTS, { range: changedFrom(since) });
  }

  /** Whether there is an order of this reference. False without the right to read items. */
  async hasOrder(orderRef: string): Promise<boolean> {
    const found = await this.table.getItems([{ orderRef, item: 'order' }]).catch(ignoring(isAccessDenied));
    return found?.[0] !== undefined;
  }

  /** The reference itself, or the next one that no order has: `my-order-2`. */
  async freeReference(orderRef: string): Promise<string> {
    if (!(await this.hasOrder(orderRef))) return orderRef;
    const [, first] = /^(.+)-\d+$/.exec(orderRef) ?? [];
    // With a number, it is no longer than a reference may be.
    const base = (first && (await this.hasOrder(first)) ? first : orderRef).slice(0, 56);
    let at = 2;
    while (await this.hasOrder(`${base}-${at}`)) at += 1;
    return `${base}-${at}`;
  }

  /** The orders that are not over. */
  async open(): Promise<ListedOrder[]> {
    return (await Promise.all(OPEN_PARTIES.map((party) => this.#waiting(party)))).flat();
  }

  /** The orders that wait for these parties. `byWaiting` alone has those that an older release recorded last. */
  async #openFor(parties: readonly WaitingFor[]): Promise<ListedOrder[]> {
    const [waiting, listed] = await Promise.all([
      Promise.all(parties.map((party) => this.#waiting(party as (typeof OPEN_PARTIES)[number]))),
      Promise.all(parties.map((party) => this.#listed(party))),
    ]);
    const known = new Map(listed.flat().map((order) => [order.orderRef, order]));
    const orders = waiting.flat().map((order) => {
      const one = known.get(order.orderRef);
      return one?.changedAt === order.changedAt ? { ...order, ...one } : order;
    });
    return this.#recognisable(orders);
  }

  /** The orders, those that come from `byWaiting` as the table has them now. Without the right to read items, they stay as they are. */
  async #recognisable(orders: ListedOrder[]): Promise<ListedOrder[]> {
    const lacking = orders.filter(({ createdAt }) => createdAt === undefined);
    const keys = lacking.map(({ orderRef }) => ({ orderRef, item: 'order' }));
    const items = ((await this.table.getItems(keys).catch(ignoring(isAccessDenied))) ?? []) as (
      | OrderItem
      | undefined
    )[];
    const found = new Map(items.flatMap((order) => (order ? [[order.orderRef, order] as const] : [])));
    return orders.map((order) => found.get(order.orderRef) ?? order);
  }

  /** @param key the party that the orders wait for, or the month in which they ended. */
  #listed(key: string, since?: string): Promise<ListedOrder[]> {
    return allOf(this.table.queryIndex(BY_LIST, 'listedUnder', key, since ? changedFrom(since) : undefined));
  }

  #waiting(whom: NonNullable<OrderItem['openFor']>, since?: string): Promise<ListedOrder[]> {
    return allOf(
      this.table.queryIndex<ListedOrder>(BY_WAITING, 'openFor', whom, since ? changedFrom(since) : undefined),
    );
  }

  /** The orders that ended since. Without a time the last that still have data, however many ended before. */
  async #over(since?: string): Promise<ListedOrder[]> {
    if (since === undefined) {
      const last = (what: string) => this.table.queryLast<ListedOrder>(BY_WAITING, 'openFor', what, LAST_ORDERS);
      return newestOfEach((await Promise.all(OVER.map(last))).flat()).slice(0, LAST_ORDERS);
    }
    return (await Promise.all(monthsSince(since).map((month) => this.#listed(month, since)))).flat();
  }

  /** Whether an order that is over lacks its month, because an older release ended it: the oldest and the last ones show it. */
  async lacksOrders(): Promise<boolean> {
    const { value: oldest } = await this.table.queryIndex<ListedOrder>('byStatus', 'status', 'CLOSED').next();
    const over = newestOfEach([...(await this.#over()), ...(oldest ? [oldest] : [])]).slice(-LAST_ORDERS);
    const orders = await this.table.getItems(over.map(({ orderRef }) => ({ orderRef, item: 'order' })));
    return orders.some((order) => order?.waitingFor === 'nobody' && !/^\d/.test(String(order.listedUnder)));
  }

  /** Creations of unknown outcome, or recorded by hand and not yet read. Empty without the right to read the ledger. */
  async doubtfulCreations(orders: readonly ListedOrder[]): Promise<Map<string, DoubtfulCreation>> {
    const unsure = orders.filter(({ waitingFor, status }) => waitingFor === 'operator' && status === 'RECEIVED');
    const orderIds = new Map(unsure.map(({ orderRef, orderId }) => [orderRef, orderId]));
    const found = new Map<string, DoubtfulCreation>();
    const keys = unsure.map(({ orderRef }) => ({ orderRef, item: CREATION }));
    const entries = (await this.table.getItems(keys).catch(ignoring(isAccessDenied))) ?? [];
    for (const entry of entries as unknown as ((StoredEntry & OperationEntry) | undefined)[]) {
      if (!entry) continue;
      const { orderRef, resolvedAt, knowledge } = readEntry(withReport(entry));
      const orderId = orderIds.get(orderRef);
      if (orderId === undefined && knowledge.state === 'open') found.set(orderRef, 'unknown');
      if (resolvedAt !== undefined && isCreatedAs(knowledge, orderId)) found.set(orderRef, 'by hand');
    }
    return found;
  }

  /** What holds those of the orders that wait for the order service. */
  async held(orders: readonly ListedOrder[]) {
    const waiting = orders.filter(({ waitingFor }) => waitingFor === 'service');
    const keys = waiting.map(({ orderRef }) => ({ orderRef, item: 'order' }));
    return ((await this.table.getItems(keys)) as unknown as OrderItem[]).flatMap((order) => {
      const wait = order && readDelayOf(order);
      return wait ? [{ orderRef: order.orderRef, ...wait }] : [];
    });
  }
}

/** Operators can write anything into these attributes. One order must not break the whole list. */
function printable({ waitingFor, generation, failure, labels, ...order }: ListedOrder): ListedOrder {
  const kept = Object.entries(labels ?? {}).filter(([, value]) => ['string', 'number'].includes(typeof value));
  const shown = {
    ...order,
    waitingFor: String(waitingFor) as WaitingFor,
    generation: Number(generation),
    labels: Object.fromEntries(kept),
  };
  return failure ? { ...shown, failure: { ...failure, error: String(failure.error) } } : shown;
}

/** Each order once, most recently changed first. An order whose status changes while the index is read is found under both statuses. */
export function newestOfEach(orders: readonly ListedOrder[]): ListedOrder[] {
  const sorted = [...orders].sort((one, other) => other.changedAt.localeCompare(one.changedAt));
  const seen = new Set<string>();
  return sorted.filter(({ orderRef }) => !seen.has(orderRef) && seen.add(orderRef));
}
