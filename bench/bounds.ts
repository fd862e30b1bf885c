/** A number that the code decides and no machine's speed can blur, beside the most that it may be. */
export interface Count {
  /** With its unit, as a sentence about it begins: `DynamoDB writes of a poll that brings nothing new`. */
  what: string;
  count: number;
  /** Absent where the count is shown only. */
  bound?: number;
}

/** What an order consisted of. */
export interface OrderSize {
  polls: number;
  documents: number;
  /** Documents to sign. */
  toSign: number;
  confirms: number;
}

/** The most transitions that an execution of such an order may make. */
export function mostTransitions({ polls, documents, toSign, confirms }: OrderSize): number {
  return 3 * polls + 2 * (documents + toSign) + confirms + 10;
}

/** The most calls of each kind that a closed order may make: one for each thing it must do, one to compare each document. */
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

/** What one poll that brings nothing new may ask for. */
export const mostOfIdlePoll = { dynamodbReads: 1, dynamodbWrites: 0, s3Requests: 0, serviceCalls: 1 };

/** What one call that changes something may ask of DynamoDB beside the order's record and its timeline. */
export const mostOfChangingCall = { dynamodbReads: 1, dynamodbWrites: 2 };

/** What the functions may ask of AWS for one order of the example `two-offers`, once each is warm. */
export const MOST_AWS_REQUESTS = 154;

/** Bytes of a function's bundle. */
export const LARGEST_BUNDLE = 500_000;

/** A sentence for each count that misses its bound. */
export function missedBounds(counts: readonly Count[]): string[] {
  return counts
    .filter(({ count, bound }) => bound !== undefined && !(count <= bound))
    .map(({ what, count, bound }) => `Too many: ${what} came to ${count}; at most ${bound} may be.`);
}
