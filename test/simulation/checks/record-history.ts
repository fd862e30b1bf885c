/** Why an execution failed, as the record says. */
export interface Failure {
  error: string;
  cause: string;
  /** When the execution ended. */
  at: string;
}

/** What our record said during the run. Later changes hide it. */
export interface RecordHistory {
  /** Why executions failed. */
  failures: readonly Failure[];
  /** Offers whose confirm had not begun when an execution failed over another confirm that was refused. */
  untried: readonly string[];
  /** When our record first said that the order is CLOSED, in virtual milliseconds. */
  closedAt?: number;
}
