/** A count that depends only on the code, not on the speed of the machine, and its upper bound. */
export interface Count {
  /** What is counted, such as `DynamoDB writes of a poll that brings nothing new`. */
  what: string;
  count: number;
  /** Absent if the count is only shown. */
  bound?: number;
}

/** The size of an order. */
export interface OrderSize {
  polls: number;
  documents: number;
  /** Documents to sign. */
  toSign: number;
  confirms: number;
}

/** The most state transitions of an order's execution. */
export function mostTransitions({ polls, documents, toSign, confirms }: OrderSize): number {
  return 3 * polls + 2 * (documents + toSign) + confirms + 10;
}

/** The most calls of each kind for a closed order: one for each thing to do, and one to compare each document. */
export function mostCalls({ documents, toSign, confirms }: OrderSize): Record<string, number> {
  return {
    'create order': 1,
    'upload document': documents,
    'accept order': 2,
    'download document, to stage it and to compare it': 2 * toSign,
    'upload signature': toSign,
    'confirm offer': confirms,
  };
}

/** The most requests of a poll that brings nothing new. */
export const mostOfIdlePoll = { dynamodbReads: 1, dynamodbWrites: 0, s3Requests: 0, serviceCalls: 1 };

/** The most DynamoDB requests of a call that changes something, not counting the order's record and its timeline. */
export const mostOfChangingCall = { dynamodbReads: 1, dynamodbWrites: 2 };

/** The most AWS requests of warm functions for one order of the example `two-offers`. */
export const MAX_AWS_REQUESTS = 178;

/** The largest bundle of a function. Bytes. */
export const LARGEST_BUNDLE = 500_000;

/** A sentence for each count that exceeds its bound. */
export function missedBounds(counts: readonly Count[]): string[] {
  return counts
    .filter(({ count, bound }) => bound !== undefined && !(count <= bound))
    .map(({ what, count, bound }) => `Too many ${what}: ${count}, but at most ${bound} are allowed.`);
}
