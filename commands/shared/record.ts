import { allOf, type RecordTable } from '../../core/aws/record-table.ts';
import { readEntry, type StoredEntry } from '../../core/ledger/entry.ts';
import { joinStates } from '../../core/order/decision-states.ts';
import { withReport } from '../../core/order/operators-word.ts';
import { BY_WAITING, type OrderItem, type WaitingFor } from '../../core/order/order-item.ts';
import { readDelayOf } from '../../core/order/read-delay.ts';
import { addToTimeline, type Line } from '../../core/order/timeline.ts';
import { stagedIn } from '../../core/order/to-sign.ts';
import { ignoring, isAccessDenied } from './failure.ts';
import {
  CREATION,
  type DoubtfulCreation,
  isCreatedAs,
  type ListedOrder,
  noOrder,
  OPERATION_PREFIX,
  type OpenOrder,
  type OperationEntry,
  type OrderDetails,
} from './order-details.ts';
import { timelineOf } from './timeline.ts';

const BY_STATUS = 'byStatus';
/** DynamoDB's limit for one request. */
const MOST_KEYS = 100;

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

  /** The orders that match the filter, most recently changed first. The index may lag by a second. */
  async list(filter: { status?: string; waitingFor?: WaitingFor } = {}): Promise<ListedOrder[]> {
    const orders = (await allOf(this.#narrowest(filter))).filter(
      ({ status, waitingFor }) =>
        (filter.status ?? status) === status && (filter.waitingFor ?? waitingFor) === waitingFor,
    );
    return newestOfEach(orders.map(printable));
  }

  /** The orders that are not over. The index may lag by a second. */
  async open(): Promise<OpenOrder[]> {
    const parties: WaitingFor[] = ['service', 'signatures', 'decision', 'operator'];
    const waiting = (party: WaitingFor) => allOf(this.table.queryIndex<OpenOrder>(BY_WAITING, 'openFor', party));
    return (await Promise.all(parties.map(waiting))).flat();
  }

  /** The orders of one partition of an index, or all of them. Orders that are over wait for nobody, and may be in `byStatus` alone. */
  #narrowest({ status, waitingFor }: { status?: string; waitingFor?: WaitingFor }): AsyncGenerator<ListedOrder> {
    if (waitingFor && waitingFor !== 'nobody') return this.table.queryIndex(BY_WAITING, 'openFor', waitingFor);
    return status ? this.table.queryIndex(BY_STATUS, 'status', status) : this.table.scanIndex<ListedOrder>(BY_STATUS);
  }

  /** The orders with this status that changed at this time or later. The index may lag by a second. */
  async changedSince(status: string, since: string): Promise<ListedOrder[]> {
    const range = { key: 'changedAt', value: since, is: 'at least' } as const;
    return allOf(this.table.queryIndex<ListedOrder>(BY_STATUS, 'status', status, range));
  }

  /** Creations of unknown outcome, or recorded by hand and not yet read. Empty without the right to read the ledger. */
  async doubtfulCreations(orders: readonly ListedOrder[]): Promise<Map<string, DoubtfulCreation>> {
    const unsure = orders.filter(({ waitingFor, status }) => waitingFor === 'operator' && status === 'RECEIVED');
    const orderIds = new Map(unsure.map(({ orderRef, orderId }) => [orderRef, orderId]));
    const found = new Map<string, DoubtfulCreation>();
    for (let at = 0; at < unsure.length; at += MOST_KEYS) {
      const keys = unsure.slice(at, at + MOST_KEYS).map(({ orderRef }) => ({ orderRef, item: CREATION }));
      const entries = (await this.table.getItems(keys).catch(ignoring(isAccessDenied))) ?? [];
      for (const entry of entries as unknown as ((StoredEntry & OperationEntry) | undefined)[]) {
        if (!entry) continue;
        const { orderRef, resolvedAt, knowledge } = readEntry(withReport(entry));
        const orderId = orderIds.get(orderRef);
        if (orderId === undefined && knowledge.state === 'open') found.set(orderRef, 'unknown');
        if (resolvedAt !== undefined && isCreatedAs(knowledge, orderId)) found.set(orderRef, 'by hand');
      }
    }
    return found;
  }

  /** What holds those of the orders that wait for the order service. */
  async held(orders: readonly ListedOrder[]) {
    const waiting = orders.filter(({ waitingFor }) => waitingFor === 'service');
    const keys = waiting.map(({ orderRef }) => ({ orderRef, item: 'order' }));
    const found: unknown[] = [];
    for (let at = 0; at < keys.length; at += MOST_KEYS)
      found.push(...(await this.table.getItems(keys.slice(at, at + MOST_KEYS))));
    return (found as OrderItem[]).flatMap((order) => {
      const wait = order && readDelayOf(order);
      return wait ? [{ orderRef: order.orderRef, ...wait }] : [];
    });
  }

  /** The orders that wait for signatures, longest waiting first. The index may lag by a second. */
  async waitingForSignatures(): Promise<ListedOrder[]> {
    const orders = await allOf(this.table.queryIndex<ListedOrder>(BY_STATUS, 'status', 'WAITING_FOR_SIGNATURE'));
    const waiting = orders.filter(({ waitingFor }) => waitingFor === 'signatures');
    return waiting.sort((one, other) => one.changedAt.localeCompare(other.changedAt));
  }
}

/** Operators can write anything into these attributes. One order must not break the whole list. */
function printable({ waitingFor, generation, failure, ...order }: ListedOrder): ListedOrder {
  const shown = { ...order, waitingFor: String(waitingFor) as WaitingFor, generation: Number(generation) };
  return failure ? { ...shown, failure: { ...failure, error: String(failure.error) } } : shown;
}

/** Each order once, most recently changed first. An order whose status changes while the index is read is found under both statuses. */
export function newestOfEach(orders: readonly ListedOrder[]): ListedOrder[] {
  const sorted = [...orders].sort((one, other) => other.changedAt.localeCompare(one.changedAt));
  const seen = new Set<string>();
  return sorted.filter(({ orderRef }) => !seen.has(orderRef) && seen.add(orderRef));
}
