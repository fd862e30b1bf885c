import { positionIn } from '../sorted-list.ts';

export type TimerHandle = object;

/** The source of time for the embedded AWS. Times are milliseconds since the epoch. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, milliseconds: number): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
}

/** The maximum delay of Node's timers. Timers with a longer delay fire at once. */
const LONGEST_NODE_DELAY = 2 ** 31 - 1;

/** Real time. Timers do not keep the process alive, and may be longer than 24.8 days. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  setTimeout(callback: () => void, milliseconds: number): TimerHandle {
    const due = Date.now() + milliseconds;
    const handle: { timer?: NodeJS.Timeout } = {};
    const arm = () => {
      const left = Math.max(0, due - Date.now());
      const next = left > LONGEST_NODE_DELAY ? arm : callback;
      handle.timer = setTimeout(next, Math.min(left, LONGEST_NODE_DELAY));
      handle.timer.unref();
    };
    arm();
    return handle;
  }

  clearTimeout(handle: TimerHandle): void {
    clearTimeout((handle as { timer?: NodeJS.Timeout }).timer);
  }
}

interface VirtualTimer {
  at: number;
  callback: () => void;
}

/** Virtual time advances only by `advanceTo`, so a wait of 40 days takes no real time. */
export class VirtualClock implements Clock {
  /** The current time, shared with threads, so functions see it advance while they wait. */
  readonly shared = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  readonly #time = new Float64Array(this.shared);
  /** Sorted by due time. Timers with the same due time stay in the order in which they were set. */
  readonly #timers: VirtualTimer[] = [];

  constructor(startsAt: number) {
    this.#time[0] = startsAt;
  }

  now(): number {
    return this.#time[0] as number;
  }

  setTimeout(callback: () => void, milliseconds: number): TimerHandle {
    const timer = { at: this.now() + Math.max(0, milliseconds), callback };
    const position = positionIn(this.#timers, ({ at }) => at <= timer.at);
    this.#timers.splice(position, 0, timer);
    return timer;
  }

  forget(): void {
    this.#timers.length = 0;
  }

  clearTimeout(handle: TimerHandle): void {
    const index = this.#timers.indexOf(handle as VirtualTimer);
    if (index !== -1) this.#timers.splice(index, 1);
  }

  /** When the next timer is due, or undefined if there is none. */
  nextTimerAt(): number | undefined {
    return this.#timers[0]?.at;
  }

  /** Advances time. Fires all timers that are due by then, in order, each at its own time. */
  advanceTo(milliseconds: number): void {
    for (let next = this.#timers[0]; next && next.at <= milliseconds; next = this.#timers[0]) {
      this.#timers.shift();
      this.#time[0] = next.at;
      next.callback();
    }
    this.#time[0] = milliseconds;
  }
}

/** A year and a day: longer than the limit for Standard workflows. */
const DEFAULT_LIMIT_MILLISECONDS = 366 * 24 * 60 * 60 * 1000;

export interface RunUntilOptions {
  limitMilliseconds?: number;
}

/**
 * Advances virtual time from timer to timer until the condition holds. If no timer is left or the limit is reached, throws an Error
 * that lists the current states of all running executions.
 */
export async function runUntil(
  aws: { settle: () => Promise<void>; describeRunning: () => string[] },
  clock: VirtualClock,
  condition: () => boolean | Promise<boolean>,
  { limitMilliseconds = DEFAULT_LIMIT_MILLISECONDS }: RunUntilOptions = {},
): Promise<void> {
  const limit = clock.now() + limitMilliseconds;
  for (;;) {
    await aws.settle();
    if (await condition()) return;
    // The condition may have made requests of its own.
    await aws.settle();
    const next = clock.nextTimerAt();
    if (next === undefined) throw stuck('no timer is left', aws.describeRunning());
    if (next > limit) throw stuck(`${limitMilliseconds} ms of virtual time have passed`, aws.describeRunning());
    clock.advanceTo(next);
  }
}

function stuck(reason: string, running: string[]): Error {
  const positions = running.length > 0 ? running.map((line) => `\n- ${line}`).join('') : ' none';
  return new Error(`The condition does not hold, but ${reason}. Running executions:${positions}`);
}
