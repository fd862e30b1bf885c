import type { FetchWork } from './run.ts';

/** What the state machine carries through a run: references and counters, no data. */
export interface RunCursor {
  work: FetchWork;
  /** ARN of the execution that is at work. */
  execution: string;
  /** Name of the run's first execution, and which of its executions this is: 1, 2, … */
  name: string;
  part: number;
  /** From when on requests are asked for; empty for all of them. */
  creationDateFrom: string;
  /** Where the next page begins. */
  skip: number;
  /** Pages that this execution has read. */
  pages: number;
  /** What came, in the whole run: elements, those that were new or changed, and those that can't be used. */
  received: number;
  kept: number;
  unusable: number;
  todo: 'fetch' | 'continue' | 'end' | 'leave';
}
