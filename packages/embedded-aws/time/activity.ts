/**
 * Turns of the event loop without work in flight after which everything counts as settled. The promises between two pieces of
 * work, such as the end of a state and the start of the next one, run within one turn.
 */
const QUIET_TURNS = 4;

/** Counts work in flight: requests, invocations, event deliveries, steps of executions. A wait on a clock is not counted. */
export class Activity {
  #inFlight = 0;
  #whenIdle: (() => void)[] = [];

  /** Counts one piece of work until the returned function is called. A second call of it has no effect. */
  begin(): () => void {
    this.#inFlight += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#inFlight -= 1;
      this.#tellIfIdle();
    };
  }

  /** Does not count one piece of work as in flight until `wait` ends. */
  async standStill(wait: Promise<void>): Promise<void> {
    this.#inFlight -= 1;
    this.#tellIfIdle();
    await wait;
    this.#inFlight += 1;
    // The piece may have ended while it waited.
    this.#tellIfIdle();
  }

  #tellIfIdle(): void {
    if (this.#inFlight === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async track<Result>(work: () => Promise<Result>): Promise<Result> {
    const end = this.begin();
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Resolves when nothing is in flight and the last piece of work has started nothing new. */
  async settle(): Promise<void> {
    let quietTurns = 0;
    while (quietTurns < QUIET_TURNS) {
      await nextTurn();
      if (this.#inFlight === 0) {
        quietTurns += 1;
      } else {
        quietTurns = 0;
        await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
      }
    }
  }
}

/** Resolves in the next turn of the event loop, after all pending promise callbacks. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
