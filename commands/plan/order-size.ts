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
