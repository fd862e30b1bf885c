/** What the state machine carries from here on: references and counters, no data. */
export interface Cursor {
  orderRef: string;
  generation: number;
  /** Reads that this execution has made, with what work counts as among them (`readsOfWork`). */
  reads: number;
  /** Reads in a row that brought a status with nothing left to do. */
  repeats: number;
  /** Seconds to wait before the next read; 0 where the order has just been created. */
  pollAfterSeconds: number;
  /** The time before which the order is not to be read, as the record had it when this wait was set; empty for none. */
  nextReadAt: string;
  known: Known;
}

/** What the execution has found out and need not look up at its next read. */
export interface Known {
  /** The operation of the accept that it made last, which is done for good. */
  accepted?: string;
  /** The version of the decision with which its last read found nothing to do. Nothing was done since. */
  decision?: number;
  /** Reads in a row that brought an answer that can't be used. */
  unusable?: number;
  /** The confirms since the last read. */
  confirms?: ConfirmOutcome[];
  /** When the first of the `repeats` was made. */
  repeatedSince?: string;
  /** What is over is a wait for people, which says nothing of whether the order may be read yet. */
  waitedForPeople?: true;
}

/** What came of one confirm. */
export interface ConfirmOutcome {
  position: number;
  /** The version of the decision whose choice the service refused; null where it did not. */
  refused: number | null;
}

/** One element of a Map state: which file of which order. */
export interface FileInput {
  orderRef: string;
  generation: number;
  /** Index in the order's `documents`, or in the `fileIds` of its signatures round. */
  position: number;
}
