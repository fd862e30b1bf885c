import type { Json } from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';

/** An event of GetExecutionHistory. `timestamp` is in seconds since the epoch. One more property has the details. */
export interface HistoryEvent {
  id: number;
  previousEventId: number;
  timestamp: number;
  type: string;
  [details: string]: unknown;
}

/** Step Functions ends an execution at this number of events. */
export const MAX_EVENTS = 25_000;

export function jsonText(value: Json | undefined): string {
  return JSON.stringify(value ?? null);
}

const NOT_TRUNCATED = { truncated: false };

export const withInput = (input: string) => ({ input, inputDetails: NOT_TRUNCATED });
export const withOutput = (output: string) => ({ output, outputDetails: NOT_TRUNCATED });

/** The events of an execution, in order. In a Map, the previous event is of the same iteration, if it has one. */
export class ExecutionHistory {
  readonly events: HistoryEvent[] = [];
  readonly #clock: Clock;
  readonly #onFull: () => void;
  /** The ID of the last event, by iteration (`undefined` for the execution itself). */
  readonly #last = new Map<number | undefined, number>();
  /** The ID of the last event that entered a state, by iteration. */
  readonly #entered = new Map<number | undefined, number>();

  constructor(clock: Clock, onFull: () => void) {
    this.#clock = clock;
    this.#onFull = onFull;
  }

  add(type: string, details: object = {}, iteration?: number): void {
    const id = this.events.length + 1;
    const previousEventId = this.#last.get(iteration) ?? this.#last.get(undefined) ?? 0;
    this.events.push({ id, previousEventId, timestamp: this.#clock.now() / 1000, type, ...details });
    this.#last.set(iteration, id);
    if (/State(Entered|Started)$/.test(type)) this.#entered.set(iteration, id);
    // The event that ends the execution is the last one within the limit.
    if (id === MAX_EVENTS - 1) this.#onFull();
  }

  /** Called after a redrive, which does not enter the current states again. The next events have these entries as previous events. */
  resume(): void {
    for (const [iteration, id] of this.#entered) this.#last.set(iteration, id);
  }
}
