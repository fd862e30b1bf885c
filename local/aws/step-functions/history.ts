import { epochSeconds, type Json } from '../protocol/json.ts';
import type { Clock } from '../time/clock.ts';

/** One event as GetExecutionHistory gives it: `id`, `type`, `timestamp` (seconds), and one member of details. */
export interface HistoryEvent {
  id: number;
  previousEventId: number;
  timestamp: number;
  type: string;
  [details: string]: unknown;
}

/** Step Functions ends an execution whose history grows past this. */
export const MOST_EVENTS = 25_000;

/** JSON as histories carry it. */
export function text(value: Json | undefined): string {
  return JSON.stringify(value ?? null);
}

const NOT_TRUNCATED = { truncated: false };

export const withInput = (input: string) => ({ input, inputDetails: NOT_TRUNCATED });
export const withOutput = (output: string) => ({ output, outputDetails: NOT_TRUNCATED });

/** What happened in an execution, in order. Events of a Map's iteration follow on from events of the same iteration. */
export class ExecutionHistory {
  readonly events: HistoryEvent[] = [];
  readonly #clock: Clock;
  readonly #onFull: () => void;
  /** The last event, by iteration (`undefined` for the execution itself). */
  readonly #last = new Map<number | undefined, number>();

  constructor(clock: Clock, onFull: () => void) {
    this.#clock = clock;
    this.#onFull = onFull;
  }

  add(type: string, details: object = {}, iteration?: number): void {
    const id = this.events.length + 1;
    const previousEventId = this.#last.get(iteration) ?? this.#last.get(undefined) ?? 0;
    this.events.push({ id, previousEventId, timestamp: epochSeconds(this.#clock.now()), type, ...details });
    this.#last.set(iteration, id);
    // Room is left for the event that says how the execution ended.
    if (id === MOST_EVENTS - 1) this.#onFull();
  }

  /** States that were entered and not left, each once. */
  currentStates(): string[] {
    const open: string[] = [];
    for (const event of this.events) {
      const entered = (event.stateEnteredEventDetails as { name: string } | undefined)?.name;
      const exited = (event.stateExitedEventDetails as { name: string } | undefined)?.name;
      if (entered !== undefined) open.push(entered);
      if (exited !== undefined && open.includes(exited)) open.splice(open.lastIndexOf(exited), 1);
    }
    return [...new Set(open)];
  }
}
