/**
 * Turns of the event loop that must pass with nothing in flight before the whole counts as settled: the promises
 * between two pieces of counted work (a state's end, the next one's start) all run within one turn.
 */
const QUIET_TURNS = 4;

/** Counts what is in flight: requests, invocations, event deliveries, steps of executions. Waits on a clock are not. */
export class Activity {
  #inFlight = 0;
  #whenIdle: (() => void)[] = [];

  /** Counts one piece of work until the returned function is called (calling it again does nothing). */
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

  /** A piece that is counted waits for a time: until `wait` ends it is not in flight. */
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

  /** Resolves once nothing is in flight and nothing that just ended starts something new. */
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

/** Resolves after every promise that is ready now has run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
