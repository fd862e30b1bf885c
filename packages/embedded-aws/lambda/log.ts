import type { Clock } from '../time/clock.ts';

/** One line that a function wrote. */
export interface LambdaLogLine {
  /** Milliseconds since the epoch, in the time of the embedded AWS. */
  time: number;
  functionName: string;
  /** Empty while the function's module is loaded. */
  requestId: string;
  /** `platform` for the lines of Lambda itself. */
  stream: 'stdout' | 'stderr' | 'platform';
  line: string;
}

/** Only the newest lines are kept, because a laptop may run for days. */
const MAX_LINES = 100_000;

export class LambdaLog {
  readonly #lines: LambdaLogLine[] = [];
  readonly #clock: Clock;
  readonly #onLine: ((line: LambdaLogLine) => void) | undefined;

  constructor(clock: Clock, onLine?: (line: LambdaLogLine) => void) {
    this.#clock = clock;
    this.#onLine = onLine;
  }

  add(line: Omit<LambdaLogLine, 'time'>): void {
    const timed = { time: this.#clock.now(), ...line };
    this.#lines.push(timed);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    this.#onLine?.(timed);
  }

  forget(): void {
    this.#lines.length = 0;
  }

  lines(): readonly LambdaLogLine[] {
    return this.#lines;
  }
}
