import { readsOfWork } from '../../core/order/work-size.ts';

/** What decides how much work an order is. */
export interface OrderSize {
  /** Reads of the order, from the first one to the one that says `CLOSED`. */
  polls: number;
  documents: number;
  /** Documents to sign, in one round. */
  toSign: number;
  /** Offers that are confirmed. */
  confirms: number;
}

/** A closed order is read at least this often: it asks for documents, for signatures, for a decision, and is closed. */
export const LEAST_POLLS = 4;

/**
 * What one order of an external signer and a rule needs: once, for each part of its size, and for each further execution.
 * `test/workflow/path/order-counts.test.ts` runs orders of six sizes and fails when the code needs more or less. The functions have
 * run before and have a token. The counts hold from two documents to sign on; an order with one of them makes one request less.
 */
const counts = {
  transitions: { once: 11, polls: 3, documents: 1, toSign: 2, confirms: 1, further: 3 },
  runs: { once: 6, polls: 1, documents: 2, toSign: 3, confirms: 1, further: 1 },
  /** Runs, among these, of functions that transfer files and have more memory. */
  fileRuns: { once: 0, polls: 0, documents: 1, toSign: 2, confirms: 0, further: 0 },
  /** Calls to the order service. The whole fleet shares one token, so its requests are not counted. */
  serviceCalls: { once: 3, polls: 1, documents: 1, toSign: 3, confirms: 1, further: 0 },
  /** A BatchGetItem counts for each of its items, as it is charged. */
  dynamodbReads: { once: 13, polls: 2, documents: 3, toSign: 11, confirms: 6, further: 7 },
  dynamodbWrites: { once: 40, polls: 0, documents: 2, toSign: 4, confirms: 3, further: 1 },
  s3Gets: { once: 6, polls: 0, documents: 3, toSign: 3, confirms: 0, further: 2 },
  /** PUT, POST and LIST have one price. */
  s3Puts: { once: 20, polls: 0, documents: 0, toSign: 3, confirms: 1, further: 1 },
  /** Files that the partner uploads. Each is an event. */
  uploads: { once: 1, polls: 0, documents: 1, toSign: 1, confirms: 0, further: 0 },
  /** Requests that put events of the order on its bus. */
  eventPuts: { once: 8, polls: 0, documents: 0, toSign: 0, confirms: 0, further: 0 },
  /** Each event of an execution's history is a line of the state machine's log. */
  historyEvents: { once: 49, polls: 9, documents: 7, toSign: 14, confirms: 7, further: 14 },
};

export type OrderCounts = Record<keyof typeof counts | 'executions', number>;

/** What an order of this size needs. */
export function countsOf({ polls, documents, toSign, confirms }: OrderSize, readsPerExecution: number): OrderCounts {
  const work = [documents, toSign, confirms].reduce((sum, items) => sum + readsOfWork(items), 0);
  const executions = Math.ceil((polls + work) / readsPerExecution);
  const times = { once: 1, polls, documents, toSign, confirms, further: executions - 1 };
  const parts = Object.entries(times) as [keyof typeof times, number][];
  const counted = Object.entries(counts).map(([name, of]) => [
    name,
    parts.reduce((sum, [part, factor]) => sum + of[part] * factor, 0),
  ]);
  return { ...Object.fromEntries(counted), executions };
}
