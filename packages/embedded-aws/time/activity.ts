/**
 * Work counts as settled after this many turns of the event loop without any. Promise callbacks between two pieces of work, such as
 * the end of a state and the start of the next one, run within one turn.
 */
const QUIET_TURNS = 4;

/** Counts work in progress: requests, invocations, event deliveries, steps of executions. Waiting for a timer does not count. */
export class Activity {
  #inFlight = 0;
  #whenIdle: (() => void)[] = [];

  /** Counts one piece of work until the returned function is called. Further calls have no effect. */
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

  /** Does not count one piece of work as in progress until `wait` resolves. */
  async pauseUntil(wait: Promise<void>): Promise<void> {
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

  /** Resolves when no work is in progress and the last piece of work has started no other. */
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
