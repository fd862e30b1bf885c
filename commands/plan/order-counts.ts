import type { FunctionName } from '../../infra/order/function-definitions.ts';
import type { OrderSize } from './order-size.ts';

/** What an order makes of each kind. */
export interface OrderCounts {
  /** Runs of each function. */
  runs: Partial<Record<FunctionName, number>>;
  /** Calls to the order service. Requests for a token are not counted: the whole fleet shares one token. */
  serviceCalls: number;
  /** GetItem and Query. A BatchGetItem counts for each of its items, as it is charged. */
  dynamodbReads: number;
  /** PutItem, UpdateItem and DeleteItem. */
  dynamodbWrites: number;
  /** GET and HEAD. */
  s3Gets: number;
  /** PUT, POST and LIST, which have one price. */
  s3Puts: number;
  /** Requests of functions to Step Functions that start an execution. The state machine starts the others. */
  starts: number;
  /** Waits for people that a function ends. */
  taskSuccesses: number;
  /** Requests that put events of the order on its bus. */
  eventPuts: number;
  /** Events of the execution's history. Each one is a line of the state machine's log. */
  historyEvents: number;
}

/**
 * What one order of an external signer and a rule makes, measured by `test/workflow/path/order-counts.test.ts`, which fails when
 * the code makes more or less. The functions have run before and have a token. The counts grow in proportion from two documents
 * to sign on; an order with one of them makes one request less.
 */
export const orderParts = {
  once: {
    runs: {
      intake: 1,
      'create-order': 1,
      'accept-order': 2,
      'await-signatures': 1,
      'choose-offer': 1,
    },
    serviceCalls: 3,
    dynamodbReads: 21,
    dynamodbWrites: 40,
    s3Gets: 4,
    s3Puts: 20,
    starts: 1,
    taskSuccesses: 2,
    eventPuts: 8,
    historyEvents: 49,
  },
  poll: {
    runs: { 'read-order': 1 },
    serviceCalls: 1,
    dynamodbReads: 2,
    dynamodbWrites: 0,
    s3Gets: 0,
    s3Puts: 0,
    starts: 0,
    taskSuccesses: 0,
    eventPuts: 0,
    historyEvents: 9,
  },
  documents: {
    runs: { intake: 1, 'upload-document': 1 },
    serviceCalls: 1,
    dynamodbReads: 3,
    dynamodbWrites: 2,
    s3Gets: 3,
    s3Puts: 0,
    starts: 0,
    taskSuccesses: 0,
    eventPuts: 0,
    historyEvents: 7,
  },
  toSign: {
    runs: { 'download-document': 1, receive: 1, 'upload-signature': 1 },
    serviceCalls: 3,
    dynamodbReads: 11,
    dynamodbWrites: 4,
    s3Gets: 3,
    s3Puts: 3,
    starts: 0,
    taskSuccesses: 0,
    eventPuts: 0,
    historyEvents: 14,
  },
  confirms: {
    runs: { 'confirm-offer': 1 },
    serviceCalls: 1,
    dynamodbReads: 6,
    dynamodbWrites: 3,
    s3Gets: 0,
    s3Puts: 1,
    starts: 0,
    taskSuccesses: 0,
    eventPuts: 0,
    historyEvents: 7,
  },
  /** An execution that reaches `readsPerExecution` hands the order to the next one. */
  handOver: {
    runs: { 'create-order': 1 },
    serviceCalls: 0,
    dynamodbReads: 7,
    dynamodbWrites: 1,
    s3Gets: 2,
    s3Puts: 2,
    starts: 0,
    taskSuccesses: 0,
    eventPuts: 0,
    historyEvents: 14,
  },
} as const satisfies Record<string, OrderCounts>;

/** What an order of this size makes. */
export function countsOf({ polls, documents, toSign, confirms }: OrderSize, handOvers = 0): OrderCounts {
  return [
    times(orderParts.poll, polls),
    times(orderParts.documents, documents),
    times(orderParts.toSign, toSign),
    times(orderParts.confirms, confirms),
    times(orderParts.handOver, handOvers),
  ].reduce(sum, orderParts.once);
}

/** All runs of functions. */
export function runsOf({ runs }: OrderCounts): number {
  return Object.values(runs).reduce((all, count) => all + count, 0);
}

function times(counts: OrderCounts, factor: number): OrderCounts {
  return combine(counts, counts, (count) => count * factor);
}

function sum(one: OrderCounts, other: OrderCounts): OrderCounts {
  return combine(one, other, (count, added) => count + added);
}

type Combined = (one: number, other: number) => number;

function combine(one: OrderCounts, other: OrderCounts, combined: Combined): OrderCounts {
  const { runs: runsOfOne, ...countsOfOne } = one;
  const { runs: runsOfOther, ...countsOfOther } = other;
  const counts = combineNumbers(countsOfOne, countsOfOther, combined) as Omit<OrderCounts, 'runs'>;
  return { runs: combineNumbers(runsOfOne, runsOfOther, combined), ...counts };
}

function combineNumbers(
  one: Partial<Record<string, number>>,
  other: Partial<Record<string, number>>,
  combined: Combined,
): Record<string, number> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, combined(one[name] ?? 0, other[name] ?? 0)]));
}
