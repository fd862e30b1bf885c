import { allOf, type RecordTable } from '../../core/aws/record-table.ts';
import { type LedgerEntry, readEntry, type StoredEntry } from '../../core/ledger/entry.ts';
import type { Knowledge } from '../../core/ledger/knowledge.ts';
import { type Decision, joinStates } from '../../core/order/decision-states.ts';
import { believed } from '../../core/order/operators-word.ts';
import { BY_WAITING, type OrderItem, type WaitingFor } from '../../core/order/order-item.ts';
import { type StagedDocument, stagedIn } from '../../core/order/to-sign.ts';
import { isAccessDenied } from './failure.ts';
import { Refusal } from './text.ts';
import { type TimelineEntry, timelineOf } from './timeline.ts';

/** An order as the index `byStatus` lists it. */
export type ListedOrder = Pick<
  OrderItem,
  'orderRef' | 'status' | 'waitingFor' | 'orderId' | 'generation' | 'changedAt' | 'failure'
>;

/** An order that is not over as the index `byWaiting` lists it. */
export type OpenOrder = Pick<OrderItem, 'orderRef' | 'release' | 'moveTo' | 'generation' | 'execution' | 'failure'>;

/**
 * A ledger operation. `resolvedAt` is set when an operator recorded its outcome and no execution has continued since. `notAfter` is set if
 * the table was restored: the operation may have begun at any time from `intendedAt` to `notAfter`.
 */
export type OperationEntry = LedgerEntry & { orderRef: string; resolvedAt?: string; notAfter?: string };

/** What the ledger knows of a creation that nothing relies on yet: nothing, or what an operator recorded. */
export type DoubtfulCreation = 'unknown' | 'by hand';

/** Everything that the table has about an order, as operators read it. */
export interface OrderDetails {
  order: OrderItem;
  /** Undefined before the first decision on the offers. */
  decision: Decision | undefined;
  /** Oldest first, like the timeline. */
  operations: OperationEntry[];
  timeline: TimelineEntry[];
  /** Kept reads (core/reading/kept-read.ts) without a line of the timeline that tells of them. */
  reads: { at: string; read: string }[];
  /** Of all rounds, oldest round first. */
  toSign: StagedDocument[];
  /** The latest wait for a decision. It begins after a read, and the order is read again when it ends. */
  decisionWait: { since: string; until?: string } | undefined;
}

export const OPERATION_PREFIX = 'operation#';
export const CREATION = `${OPERATION_PREFIX}create`;

const BY_STATUS = 'byStatus';
/** DynamoDB's limit for one request. */
const MOST_KEYS = 100;

/** Reads the order table for operators. */
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

  async findDetails(orderRef: string): Promise<OrderDetails | undefined> {
    const items = await this.table.queryItems<{ orderRef: string; item: string }>(orderRef);
    const order = items.find(({ item }) => item === 'order') as OrderItem | undefined;
    if (!order) return undefined;
    const startingWith = (prefix: string) => items.filter(({ item }) => item.startsWith(prefix));
    const entries = startingWith(OPERATION_PREFIX) as unknown as (StoredEntry & { orderRef: string })[];
    const operations: OperationEntry[] = entries.map((entry) => readEntry(believed(entry)));
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
    return (
      await Promise.all(parties.map((party) => allOf(this.table.queryIndex<OpenOrder>(BY_WAITING, 'openFor', party))))
    ).flat();
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

  /**
   * Of these orders, those of which it is unknown whether the service has them, and those whose `orderId` an operator recorded and no read
   * has confirmed. None without the right to read the ledger.
   */
  async doubtfulCreations(orders: readonly ListedOrder[]): Promise<Map<string, DoubtfulCreation>> {
    const unsure = orders.filter(({ waitingFor, status }) => waitingFor === 'operator' && status === 'RECEIVED');
    const orderIds = new Map(unsure.map(({ orderRef, orderId }) => [orderRef, orderId]));
    const found = new Map<string, DoubtfulCreation>();
    for (let at = 0; at < unsure.length; at += MOST_KEYS) {
      const keys = unsure.slice(at, at + MOST_KEYS).map(({ orderRef }) => ({ orderRef, item: CREATION }));
      const entries = await this.table.getItems(keys).catch((error: Error) => {
        if (isAccessDenied(error)) return [];
        throw error;
      });
      for (const entry of entries as unknown as ((StoredEntry & OperationEntry) | undefined)[]) {
        if (!entry) continue;
        const { orderRef, resolvedAt, knowledge } = readEntry(believed(entry));
        const orderId = orderIds.get(orderRef);
        if (orderId === undefined && knowledge.state === 'open') found.set(orderRef, 'unknown');
        if (resolvedAt !== undefined && isCreatedAs(knowledge, orderId)) found.set(orderRef, 'by hand');
      }
    }
    return found;
  }

  /** The orders that wait for signatures, longest waiting first. The index may lag by a second. */
  async waitingForSignatures(): Promise<ListedOrder[]> {
    const orders = await allOf(this.table.queryIndex<ListedOrder>(BY_STATUS, 'status', 'WAITING_FOR_SIGNATURE'));
    const waiting = orders.filter(({ waitingFor }) => waitingFor === 'signatures');
    return waiting.sort((one, other) => one.changedAt.localeCompare(other.changedAt));
  }
}

/** The ledger entry for the order's creation, or undefined before it has started. */
export function creationOf({ operations }: OrderDetails): OperationEntry | undefined {
  return operations.find(({ item }) => item === CREATION);
}

/** Whether it is unknown if the service has the order. Then no execution may continue until an operator resolves it. */
export function isCreationUnknown(details: OrderDetails): boolean {
  return details.order.orderId === undefined && creationOf(details)?.knowledge.state === 'open';
}

export function noOrder(orderRef: string): Refusal {
  return new Refusal(
    `There is no order ${orderRef} here: either nothing was uploaded under that orderRef, or its package was rejected ` +
      `(see rejected/orders/${orderRef}/ in the staging bucket). "loan-orders list" lists the orders, and "loan-orders list --rejected" what was rejected.`,
  );
}

/** Whether an execution uses the `orderId` that is recorded of the creation. One that is recorded afterwards waits for a retry. */
export function isCreatedAs(knowledge: Knowledge, orderId: string | undefined): boolean {
  return orderId !== undefined && knowledge.state === 'done' && knowledge.outcome.orderId === orderId;
}

/** Operators can write anything into these. One order must not break the list of all. */
function printable({ waitingFor, generation, failure, ...order }: ListedOrder): ListedOrder {
  const shown = { ...order, waitingFor: String(waitingFor) as WaitingFor, generation: Number(generation) };
  return failure ? { ...shown, failure: { ...failure, error: String(failure.error) } } : shown;
}

/** Another command or an execution changed the order between the look and the write. Nothing was written. */
export function changedMeanwhile(orderRef: string): Refusal {
  return new Refusal(
    `Order ${orderRef} changed while this command looked at it. Look again with "loan-orders show ${orderRef}".`,
  );
}

/** Each order once, most recently changed first. An order whose status changes while the index is read is found under both statuses. */
export function newestOfEach(orders: readonly ListedOrder[]): ListedOrder[] {
  const sorted = [...orders].sort((one, other) => other.changedAt.localeCompare(one.changedAt));
  const seen = new Set<string>();
  return sorted.filter(({ orderRef }) => !seen.has(orderRef) && seen.add(orderRef));
}
