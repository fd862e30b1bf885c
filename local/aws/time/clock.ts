/** What `setTimeout` of a clock hands back, only to be given to its `clearTimeout`. */
export type TimerHandle = object;

/** Every wait of the embedded AWS goes through one of these; times are milliseconds since the epoch. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, milliseconds: number): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
}

/** The longest delay that Node's own timers keep; a longer one would fire at once. */
const LONGEST_NODE_DELAY = 2 ** 31 - 1;

/** The machine's time. Its timers never keep the process alive, and may be longer than 24.8 days. */
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

/** Time that stands still until it is told to advance: a wait of forty days costs nothing. */
export class VirtualClock implements Clock {
  /** What `now` answers, for threads: a function that waits in the middle of its work sees how far time has moved on meanwhile. */
  readonly shared = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  readonly #time = new Float64Array(this.shared);
  /** Ordered by due time; timers that are due together keep the order in which they were set. */
  readonly #timers: VirtualTimer[] = [];

  constructor(startsAt: number) {
    this.#time[0] = startsAt;
  }

  now(): number {
    return this.#time[0] as number;
  }

  setTimeout(callback: () => void, milliseconds: number): TimerHandle {
    const timer = { at: this.now() + Math.max(0, milliseconds), callback };
    this.#timers.splice(this.#positionAfter(timer.at), 0, timer);
    return timer;
  }

  /** Nothing that waits will go off. */
  forget(): void {
    this.#timers.length = 0;
  }

  clearTimeout(handle: TimerHandle): void {
    const index = this.#timers.indexOf(handle as VirtualTimer);
    if (index !== -1) this.#timers.splice(index, 1);
  }

  /** When the next timer is due, or undefined when nothing waits. */
  nextTimerAt(): number | undefined {
    return this.#timers[0]?.at;
  }

  /** Of the first timer that is due after this time. */
  #positionAfter(milliseconds: number): number {
    let [from, to] = [0, this.#timers.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#timers[middle] as VirtualTimer).at > milliseconds) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /**
   * Moves time forward and fires, in order, every timer that is due by then, each at its own time.
   * Throws a RangeError on a time that has passed.
   */
  advanceTo(milliseconds: number): void {
    if (milliseconds < this.now()) {
      throw new RangeError(`The clock stands at ${this.now()}: it cannot go back to ${milliseconds}.`);
    }
    for (let next = this.#timers[0]; next && next.at <= milliseconds; next = this.#timers[0]) {
      this.#timers.shift();
      this.#time[0] = next.at;
      next.callback();
    }
    this.#time[0] = milliseconds;
  }
}
