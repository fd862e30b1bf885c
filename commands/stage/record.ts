import { randomUUID } from 'node:crypto';
import { GetCommand, paginateQuery, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { isDone } from '../../core/aws/conditional-write.ts';
import { type LedgerEntry, readEntry, type StoredEntry } from '../../core/ledger/entry.ts';
import { type Decision, decidedOf, joinStates } from '../../core/order/choices.ts';
import { moveOf } from '../../core/order/move.ts';
import type { OrderItem, WaitingFor } from '../../core/order/order-item.ts';
import type { WhatHappened } from '../../core/order/what-happened.ts';
import type { ToSign } from '../../core/signing/to-sign.ts';
import { Refusal } from '../refusal.ts';
import { OrderTable } from './order-table.ts';

/** An order as the index `byStatus` lists it. */
export type ListedOrder = Pick<
  OrderItem,
  'orderRef' | 'status' | 'waitingFor' | 'orderId' | 'generation' | 'changedAt' | 'failure'
>;

/** A line of the timeline: what happened and when, with references and counts by name. */
export interface TimelineEntry {
  orderRef: string;
  item: string;
  at: string;
  what: string;
  [fact: string]: string | number;
}

/** A ledger operation. `resolvedAt` is set when an operator recorded its outcome and no execution has continued since. */
export type Operation = LedgerEntry & { orderRef: string; resolvedAt?: string };

/** A document to sign that was staged, in one of the rounds. */
export type StagedDocument = ToSign & { round: number };

/** Everything that the table has about an order, as operators read it. */
export interface OrderDetails {
  order: OrderItem;
  /** Undefined before the first decision on the offers. */
  decision: Decision | undefined;
  /** Oldest first, like the timeline. */
  operations: Operation[];
  timeline: TimelineEntry[];
  /** Of all rounds, oldest round first. */
  toSign: StagedDocument[];
}

export const OPERATION_PREFIX = 'operation#';
export const CREATION = `${OPERATION_PREFIX}create`;

/** Reads the order table for operators, and adds to its timelines. */
export class OrderRecord extends OrderTable {
  /** @throws Refusal when there is no such order. */
  async details(orderRef: string): Promise<OrderDetails> {
    const details = await this.findDetails(orderRef);
    if (details) return details;
    throw noOrder(orderRef);
  }

  async findDetails(orderRef: string): Promise<OrderDetails | undefined> {
    const items: { item: string }[] = [];
    const query = {
      TableName: this.table,
      KeyConditionExpression: 'orderRef = :orderRef',
      ExpressionAttributeValues: { ':orderRef': orderRef },
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client: this.client }, query)) {
      items.push(...(Items as { item: string }[]));
    }
    const order = items.find(({ item }) => item === 'order') as OrderItem | undefined;
    if (!order) return undefined;
    const startingWith = (prefix: string) => items.filter(({ item }) => item.startsWith(prefix));
    const entries = startingWith(OPERATION_PREFIX) as unknown as (StoredEntry & { orderRef: string })[];
    const operations: Operation[] = entries.map(readEntry);
    operations.sort((one, other) => one.intendedAt.localeCompare(other.intendedAt));
    const { choices, none, version } = order.decision;
    const decided = decidedOf(order.decision);
    const decision = version > 0 ? { none, choices: joinStates(choices, operations), decided } : undefined;
    return {
      order,
      decision,
      operations,
      timeline: startingWith('event#') as unknown as TimelineEntry[],
      toSign: (startingWith('to-sign#') as unknown as (ToSign & { item: string })[])
        .map((document) => ({ ...document, round: Number(document.item.split('#')[1]) }))
        .sort((one, other) => one.round - other.round),
    };
  }

  /** The orders that match the filter, most recently changed first. The index may lag by a second. */
  async list(filter: { status?: string; waitingFor?: WaitingFor } = {}): Promise<ListedOrder[]> {
    const { status, waitingFor } = filter;
    const search = {
      TableName: this.table,
      IndexName: 'byStatus',
      ...(waitingFor && { FilterExpression: 'waitingFor = :waitingFor' }),
      ...(status && { KeyConditionExpression: '#status = :status', ExpressionAttributeNames: { '#status': 'status' } }),
      ...((status || waitingFor) && {
        ExpressionAttributeValues: {
          ...(status && { ':status': status }),
          ...(waitingFor && { ':waitingFor': waitingFor }),
        },
      }),
    };
    const paginate = status ? paginateQuery : paginateScan;
    const orders: ListedOrder[] = [];
    for await (const { Items = [] } of paginate({ client: this.client }, search))
      orders.push(...(Items as ListedOrder[]));
    return newestOfEach(orders);
  }

  /** The orders with this status that changed at this time or later. The index may lag by a second. */
  async changedSince(status: string, since: string): Promise<ListedOrder[]> {
    const search = {
      TableName: this.table,
      IndexName: 'byStatus',
      KeyConditionExpression: '#status = :status AND changedAt >= :since',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': status, ':since': since },
    };
    const orders: ListedOrder[] = [];
    for await (const { Items = [] } of paginateQuery({ client: this.client }, search))
      orders.push(...(Items as ListedOrder[]));
    return orders;
  }

  /** When each of these orders may be read next, as far as the record says. */
  async nextReads(orderRefs: string[]): Promise<Pick<OrderItem, 'orderRef' | 'nextReadAt' | 'throttledUntil'>[]> {
    const found = await Promise.all(
      orderRefs.map((orderRef) => {
        const Key = { orderRef, item: 'order' };
        const ProjectionExpression = 'orderRef, nextReadAt, throttledUntil';
        return this.client.send(new GetCommand({ TableName: this.table, Key, ProjectionExpression }));
      }),
    );
    return found.flatMap(({ Item }) => (Item ? [Item as Pick<OrderItem, 'orderRef'>] : []));
  }

  /** The orders that wait for signatures, longest waiting first. The index may lag by a second. */
  async waitingForSignatures(): Promise<ListedOrder[]> {
    const search = {
      TableName: this.table,
      IndexName: 'byStatus',
      KeyConditionExpression: '#status = :status',
      FilterExpression: 'waitingFor = :signatures',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': 'WAITING_FOR_SIGNATURE', ':signatures': 'signatures' },
    };
    const orders: ListedOrder[] = [];
    for await (const { Items = [] } of paginateQuery({ client: this.client }, search))
      orders.push(...(Items as ListedOrder[]));
    return orders.sort((one, other) => one.changedAt.localeCompare(other.changedAt));
  }

  /**
   * Marks the order to continue in another release, as the sweep does.
   * @returns false if another generation drives it by now, or this one has failed.
   */
  async markToMove(order: OrderItem, release: string): Promise<boolean> {
    const mark = new UpdateCommand({
      TableName: this.table,
      Key: { orderRef: order.orderRef, item: order.item },
      UpdateExpression: 'SET moveTo = :moveTo',
      ConditionExpression: 'generation = :current AND attribute_not_exists(failure)',
      ExpressionAttributeValues: { ':moveTo': moveOf(order, release), ':current': order.generation },
    });
    return isDone(this.client.send(mark));
  }

  /**
   * Adds a line to the order's timeline, in the format of the functions' `addEvent`. It must hold no personal data. An update, because
   * operators may put no items of orders.
   */
  async addEvent(
    orderRef: string,
    what: WhatHappened | 'Paused' | 'Resumed',
    facts: Record<string, string | number> = {},
  ): Promise<void> {
    const at = new Date().toISOString();
    const line = Object.entries({ at, what, ...facts });
    const add = new UpdateCommand({
      TableName: this.table,
      Key: { orderRef, item: `event#${at}#${randomUUID().slice(0, 8)}` },
      UpdateExpression: `SET ${line.map((_fact, position) => `#${position} = :${position}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(line.map(([name], position) => [`#${position}`, name])),
      ExpressionAttributeValues: Object.fromEntries(line.map(([, value], position) => [`:${position}`, value])),
    });
    await this.client.send(add);
  }
}

export function noOrder(orderRef: string): Refusal {
  return new Refusal(
    `There is no order ${orderRef} here: either nothing was uploaded under that orderRef, or its package was rejected ` +
      `(see orders/${orderRef}/rejected.json in the staging bucket). "loan-orders list" lists the orders, and "loan-orders list --rejected" what was rejected.`,
  );
}

/** Each order once, most recently changed first. An order whose status changes while the index is read is found under both statuses. */
export function newestOfEach(orders: readonly ListedOrder[]): ListedOrder[] {
  const sorted = [...orders].sort((one, other) => other.changedAt.localeCompare(one.changedAt));
  const seen = new Set<string>();
  return sorted.filter(({ orderRef }) => !seen.has(orderRef) && seen.add(orderRef));
}
