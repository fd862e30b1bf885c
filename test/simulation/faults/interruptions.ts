import type { InvocationResult } from '../../../local/aws/index.ts';
import type { Kill, OrderPlan, Pause } from '../plan/order-plan.ts';
import type { Tally } from '../world/tally.ts';
import { Turns } from '../world/turns.ts';

interface Running {
  functionName: string;
  killed: AbortController;
  turns: Turns;
  /** Requests that it has made, to AWS and to the order service. */
  requests: number;
  standsStill: boolean;
  /** Resolves when it has ended, which it may in the middle of a pause: its patience is measured in real time. */
  ended: PromiseWithResolvers<void>;
  hasEnded?: true;
  /** What it was told of the next read did not get into the record: AWS failed then. */
  couldNotRecordRead?: true;
}

/** A kill whose turn has come; the request is left without an answer. */
export interface DueKill {
  after: boolean;
  strike(): void;
}

/** A pause whose turn has come. */
export interface DuePause {
  after: boolean;
  /** Resolves when it is over, after `most` virtual seconds. `isCounted` says whether the request is one of AWS, which counts as work. */
  wait(isCounted: boolean, most?: number): Promise<void>;
}

export interface Due {
  kill?: DueKill;
  pause?: DuePause;
}

export interface InterruptionsOptions {
  plans: ReadonlyMap<string, OrderPlan>;
  injected: Tally;
  /** Virtual seconds since everything began. */
  now(): number;
  /** Resolves after so many virtual seconds. */
  later(seconds: number): Promise<void>;
  /** A request of a function, or its invocation, stands still meanwhile: time does not wait for it. */
  standStill(wait: Promise<void>): Promise<void>;
}

/** Functions that are killed, or stand still for a while, in the middle of their work, between any two of their requests. */
export class Interruptions {
  readonly #options: InterruptionsOptions;
  readonly #running = new Map<string, Set<Running>>();
  readonly #turns = new Map<string, Turns>();
  readonly #done = new Set<Kill | Pause>();

  constructor(options: InterruptionsOptions) {
    this.#options = options;
  }

  /** Runs a function of the order so that it can be interrupted. Answers whether it could not record a read, too. */
  async run(
    orderRef: string,
    functionName: string,
    invoke: (killed: AbortSignal) => Promise<InvocationResult>,
  ): Promise<{ result: InvocationResult; couldNotRecordRead: boolean }> {
    const turns = this.#turns.get(functionName) ?? new Turns();
    this.#turns.set(functionName, turns);
    const running: Running = {
      functionName,
      killed: new AbortController(),
      turns,
      requests: 0,
      standsStill: false,
      ended: Promise.withResolvers(),
    };
    const all = this.#running.get(orderRef) ?? new Set();
    this.#running.set(orderRef, all.add(running));
    await turns.begin();
    try {
      const result = await invoke(running.killed.signal);
      return { result, couldNotRecordRead: running.couldNotRecordRead ?? false };
    } finally {
      if (!running.standsStill) turns.end();
      running.hasEnded = true;
      running.ended.resolve();
      all.delete(running);
    }
  }

  /** A request of the order has arrived: what is due at it. Where it is not known which function made it, each that runs may have. */
  at(orderRef: string, functionName?: string): Due {
    const due: Due = {};
    const plan = this.#options.plans.get(orderRef);
    for (const running of plan ? this.#atWork(orderRef, functionName) : []) {
      running.requests += 1;
      const kill = this.#find(plan?.kills, running);
      if (kill && !due.kill) due.kill = this.#kill(kill, running);
      const pause = this.#find(plan?.pauses, running);
      if (pause && !due.pause) due.pause = this.#pause(pause, running);
    }
    return due;
  }

  /** AWS failed when a function of the order was about to record until when the order is not to be read. */
  failedToRecordRead(orderRef: string, functionName: string): void {
    for (const running of this.#atWork(orderRef, functionName)) running.couldNotRecordRead = true;
  }

  #atWork(orderRef: string, functionName: string | undefined): Running[] {
    const all = [...(this.#running.get(orderRef) ?? [])].filter(({ standsStill }) => !standsStill);
    return functionName === undefined ? all : all.filter((running) => running.functionName === functionName);
  }

  #find<Interruption extends Kill & { since?: number }>(planned: readonly Interruption[] = [], running: Running) {
    return planned.find(
      (one) =>
        one.functionName === running.functionName &&
        running.requests >= one.request &&
        this.#options.now() >= (one.since ?? 0) &&
        !this.#done.has(one),
    );
  }

  #kill(kill: Kill, { killed }: Running): DueKill {
    this.#done.add(kill);
    this.#options.injected.add(`function killed: ${kill.functionName}`);
    return { after: kill.after, strike: () => killed.abort() };
  }

  #pause(pause: Pause, running: Running): DuePause {
    this.#done.add(pause);
    this.#options.injected.add(`function slow: ${pause.functionName}`);
    const { later, standStill } = this.#options;
    const wait = async (isCounted: boolean, most = pause.seconds) => {
      running.standsStill = true;
      running.turns.end();
      const over = later(Math.min(pause.seconds, most));
      // A function that ends meanwhile takes its invocation and its request with it: both are counted as ended then.
      const atRest = Promise.race([over, running.ended.promise]);
      await Promise.all([standStill(atRest), isCounted ? standStill(atRest) : atRest]);
      await over;
      if (running.hasEnded) return;
      await running.turns.begin();
      if (running.hasEnded) running.turns.end();
      else running.standsStill = false;
    };
    return { after: pause.after, wait };
  }
}
