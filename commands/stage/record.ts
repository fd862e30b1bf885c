import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { type LedgerEntry, readEntry, type StoredEntry } from '../../functions/shared/ledger/entry.ts';
import { NONE, OPEN } from '../../functions/shared/ledger/knowledge.ts';
import { stored } from '../../functions/shared/ledger/stored-entry.ts';
import { type Decision, joinStates, type KeptDecision } from '../../functions/shared/order/choices.ts';
import { ORDER_ID_IS_FREE, orderIdKey } from '../../functions/shared/order/order-id-key.ts';
import type { OrderItem, WaitingFor } from '../../functions/shared/order/order-item.ts';
import { Refusal } from '../refusal.ts';

/** An order as the index `byStatus` holds it. */
export type ListedOrder = Pick<
  OrderItem,
  'orderRef' | 'status' | 'waitingFor' | 'orderId' | 'generation' | 'changedAt' | 'failure'
>;

/** A line of the timeline: what happened, when, and references and counts by name. */
export interface TimelineEntry {
  orderRef: string;
  item: string;
  at: string;
  what: string;
  [fact: string]: string | number;
}

/** An operation of the ledger; `resolvedAt` when an operator said what came of it and no execution has gone on from there. */
export type Operation = LedgerEntry & { orderRef: string; resolvedAt?: string };

/** What operators read of one order. */
export interface OrderDetails {
  order: OrderItem;
  /** Undefined before anybody decided on the offers. */
  decision: Decision | undefined;
  /** Both in the order of time. */
  operations: Operation[];
  timeline: TimelineEntry[];
}

export const OPERATION_PREFIX = 'operation#';
export const CREATION = `${OPERATION_PREFIX}create`;

/** The order table in an operator's hands. */
export class OrderRecord {
  readonly #client: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** @throws Refusal when there is no such order. */
  async details(orderRef: string): Promise<OrderDetails> {
    const items: { item: string }[] = [];
    const query = {
      TableName: this.#table,
      KeyConditionExpression: 'orderRef = :orderRef',
      ExpressionAttributeValues: { ':orderRef': orderRef },
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client: this.#client }, query)) {
      items.push(...(Items as { item: string }[]));
    }
    const order = items.find(({ item }) => item === 'order') as OrderItem | undefined;
    if (!order) throw noOrder(orderRef);
    const startingWith = (prefix: string) => items.filter(({ item }) => item.startsWith(prefix));
    const entries = startingWith(OPERATION_PREFIX) as unknown as (StoredEntry & { orderRef: string })[];
    const operations: Operation[] = entries.map(readEntry);
    operations.sort((one, other) => one.intendedAt.localeCompare(other.intendedAt));
    const decided =
      order.decision ?? (items.find(({ item }) => item === 'decision') as unknown as KeptDecision | undefined);
    const isDecided = decided && decided.version > 0;
    const decision = isDecided && { none: decided.none, choices: joinStates(decided.choices, operations) };
    return {
      order,
      decision: decision || undefined,
      operations,
      timeline: startingWith('event#') as unknown as TimelineEntry[],
    };
  }

  /** Every order, or those of one status or that wait for one party; the newest change first. The index may lag by a second. */
  async list(filter: { status?: string; waitingFor?: WaitingFor } = {}): Promise<ListedOrder[]> {
    const { status, waitingFor } = filter;
    const search = {
      TableName: this.#table,
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
    for await (const { Items = [] } of paginate({ client: this.#client }, search))
      orders.push(...(Items as ListedOrder[]));
    return orders.sort((one, other) => other.changedAt.localeCompare(one.changedAt));
  }

  /**
   * Writes what an operator found out about the creation, as long as nothing has moved since `seen` was read: with an
   * `orderId` it was done, without one it was not.
   * @throws Refusal when something has moved.
   */
  async resolveCreation(seen: Operation, orderId: string | undefined): Promise<void> {
    const { state, proven, outcome } = stored(orderId ? { state: 'done', outcome: { orderId } } : NONE);
    const set = 'SET #state = :state, endedAt = :at, resolvedAt = :at';
    await this.#update(seen, {
      UpdateExpression: outcome
        ? `${set}, outcome = :outcome REMOVE failure, proven`
        : `${set}, proven = :proven REMOVE failure, outcome`,
      ConditionExpression: 'attempts = :attempts AND (#state = :open OR attribute_exists(resolvedAt))',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ':state': state,
        ':at': new Date().toISOString(),
        ':attempts': seen.attempts,
        ':open': stored(OPEN).state,
        ...(outcome ? { ':outcome': outcome } : { ':proven': proven }),
      },
    });
  }

  /**
   * Records that the service's order `orderId` is this one of ours, as the function that creates orders does.
   * @returns the order that has it already, where another has.
   */
  async holdOrderId(orderRef: string, orderId: string): Promise<string | undefined> {
    const Item = { ...orderIdKey(orderId), holder: orderRef };
    const condition = { ConditionExpression: ORDER_ID_IS_FREE, ExpressionAttributeValues: { ':holder': orderRef } };
    try {
      await this.#client.send(new PutCommand({ TableName: this.#table, Item, ...condition }));
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const held = new GetCommand({ TableName: this.#table, Key: orderIdKey(orderId), ConsistentRead: true });
      return (await this.#client.send(held)).Item?.holder as string | undefined;
    }
  }

  /** Another order may be the service's `orderId` from now on. */
  async releaseOrderId(orderId: string): Promise<void> {
    await this.#client.send(new DeleteCommand({ TableName: this.#table, Key: orderIdKey(orderId) }));
  }

  /**
   * Takes back an orderId that an operator named and the service has never answered to.
   * @throws Refusal when an execution has taken the order over since, or has read it.
   */
  async forgetOrderId({ orderRef, item, generation }: OrderItem): Promise<void> {
    await this.#update(
      { orderRef, item },
      {
        UpdateExpression: 'REMOVE orderId',
        ConditionExpression: 'generation = :generation AND #status = :received',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':generation': generation, ':received': 'RECEIVED' },
      },
    );
  }

  /** Adds a line to the order's timeline, in the shape of `addEvent` of the functions: no personal data. */
  async addEvent(orderRef: string, what: string, facts: Record<string, string | number> = {}): Promise<void> {
    const at = new Date().toISOString();
    const item = `event#${at}#${randomUUID().slice(0, 8)}`;
    await this.#client.send(new PutCommand({ TableName: this.#table, Item: { orderRef, item, at, what, ...facts } }));
  }

  async #update(
    { orderRef, item }: { orderRef: string; item: string },
    change: Omit<ConstructorParameters<typeof UpdateCommand>[0], 'TableName' | 'Key'>,
  ): Promise<void> {
    try {
      await this.#client.send(new UpdateCommand({ TableName: this.#table, Key: { orderRef, item }, ...change }));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      throw new Refusal(
        `Order ${orderRef} has moved on while this command looked at it: look again with "loan-orders show ${orderRef}".`,
      );
    }
  }
}

function noOrder(orderRef: string): Refusal {
  return new Refusal(
    `There is no order ${orderRef} here: either nothing was uploaded under that orderRef, or its package was rejected ` +
      `(see orders/${orderRef}/rejected.json in the staging bucket). "loan-orders list" shows the orders there are.`,
  );
}
