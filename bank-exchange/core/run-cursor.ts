import type { FetchWork } from './run.ts';

/** The state that a run passes from step to step: references and counters, no data. */
export interface RunCursor {
  work: FetchWork;
  /** ARN of this execution. */
  execution: string;
  /** Name of the run's first execution. */
  name: string;
  /** Number of this execution in the run: 1, 2, … */
  part: number;
  /** The date of the oldest requests to fetch; empty for all requests. */
  creationDateFrom: string;
  /** Where the next page begins. */
  skip: number;
  /** Pages that this execution has read. */
  pages: number;
  /** Elements received in the whole run. */
  received: number;
  /** Those that were new or changed. */
  kept: number;
  /** Those that cannot be used. */
  unusable: number;
  todo: 'fetch' | 'continue' | 'end' | 'leave';
}
