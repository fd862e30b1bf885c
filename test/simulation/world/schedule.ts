import type { Clock } from '@business-loan-orders/embedded-aws';

export const BEGINNING = Date.UTC(2026, 0, 1);

/** Seconds. People who do not act at once act four times a day, many of them together. */
const QUARTER_DAY = 21_600;

/** Schedules what people do by the virtual clock. Remembers what is running, so that time waits for it. */
export class Schedule {
  readonly #clock: Clock;
  readonly #underWay = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Virtual milliseconds. */
  now(): number {
    return this.#clock.now();
  }

  /** Virtual seconds since the beginning. */
  seconds(): number {
    return (this.#clock.now() - BEGINNING) / 1000;
  }

  later(seconds: number, act: () => void | Promise<void>): void {
    this.#clock.setTimeout(() => {
      const done = (async () => act())()
        .catch((error: unknown) => void this.#failures.push(error))
        .finally(() => this.#underWay.delete(done));
      this.#underWay.add(done);
    }, seconds * 1000);
  }

  /** Runs `act` at the first full quarter of a day after this many virtual seconds, or at once after 0 seconds. */
  atWork(seconds: number, act: () => void | Promise<void>): void {
    const due = this.#clock.now() / 1000 + seconds;
    this.later(seconds === 0 ? 0 : seconds + QUARTER_DAY - (due % QUARTER_DAY), act);
  }

  /** Resolves when everything that has begun is done. Throws the errors of what failed, which are errors of the simulation. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    if (this.#failures.length > 0) throw new AggregateError(this.#failures, 'People of the simulation could not act.');
  }
}
