import type { InvocationResult } from '@business-loan-orders/embedded-aws';
import { type Interruption, isKill, type OperatorAct } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';

export interface Due {
  /** The request gets no answer. */
  kill?: { after: boolean; strike(): void };
  pause?: {
    after: boolean;
    /** Resolves after the pause, and after at most `most` virtual seconds. `isCounted`: whether AWS counts the request as work. */
    wait(isCounted: boolean, most?: number): Promise<void>;
  };
}

interface Running {
  functionName: string;
  killed: AbortController;
  turns: Turns;
  requests: number;
  /** The number of its requests to EventBridge, which are not among the others. */
  tellings: number;
  isPaused: boolean;
  /** It has had its turn. */
  hasBegun?: true;
  /** Resolves when it has ended. It may end during a pause because its timeouts run in real time. */
  ended: PromiseWithResolvers<void>;
  hasEnded?: true;
  /** AWS failed when it recorded the time of the next read. */
  couldNotRecordRead?: true;
}

/** Works for one order at a time, because its requests to KMS do not say for which order they are. */
const ALONE = 'sign-documents';

/** Kills and pauses functions during their work, between any two of their requests. */
export class Interruptions {
  readonly #world: SimulatedWorld;
  readonly #running = new Map<string, Set<Running>>();
  readonly #turns = new Map<string, Turns>();
  readonly #done = new Set<Interruption>();
  /** Called when a function pauses during which an operator acts. */
  onPause?: (orderRef: string, acts: readonly OperatorAct[]) => void;

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** Runs a function of the order so that it can be interrupted. Also returns whether it failed to record a read. */
  async run(orderRef: string, functionName: string, invoke: (killed: AbortSignal) => Promise<InvocationResult>) {
    const turns = this.#turns.get(functionName) ?? new Turns(functionName === ALONE ? 1 : AT_ONCE);
    this.#turns.set(functionName, turns);
    const running: Running = {
      functionName,
      killed: new AbortController(),
      turns,
      requests: 0,
      tellings: 0,
      isPaused: false,
      ended: Promise.withResolvers(),
    };
    const all = this.#running.get(orderRef) ?? new Set();
    this.#running.set(orderRef, all.add(running));
    await turns.begin();
    running.hasBegun = true;
    try {
      const result = await invoke(running.killed.signal);
      return { result, couldNotRecordRead: running.couldNotRecordRead ?? false };
    } finally {
      if (!running.isPaused) turns.end();
      running.hasEnded = true;
      running.ended.resolve();
      all.delete(running);
    }
  }

  /** What is due at this request of the order. If the function is unknown, the request counts for each running function. */
  at(orderRef: string, functionName?: string, telling?: true): Due {
    const due: Due = {};
    const plan = this.#world.plans.get(orderRef);
    const atWork = this.#atWork(orderRef, functionName);
    // Of several that run at once, nobody knows which made the request. A pause of another one would let no time pass.
    const isAlone = this.#begun(orderRef, functionName).length === 1;
    for (const running of atWork) {
      running[telling ? 'tellings' : 'requests'] += 1;
      const reached = (plan?.interruptions ?? []).filter((one) => this.#isDue(one, running, telling));
      const kill = reached.find(isKill);
      if (kill) due.kill ??= this.#kill(kill, running);
      const pause = isAlone && reached.find((one) => !isKill(one));
      if (!pause || due.pause) continue;
      due.pause = this.#pause(pause, running);
      if (pause.acts) this.onPause?.(orderRef, pause.acts);
    }
    return due;
  }

  /** The order that {@link ALONE} works for just now, undefined if it is not at work. */
  orderAlone(): string | undefined {
    return [...this.#running.keys()].find((orderRef) => this.#begun(orderRef, ALONE).some(({ isPaused }) => !isPaused));
  }

  failedToRecordRead(orderRef: string, functionName: string): void {
    for (const running of this.#atWork(orderRef, functionName)) running.couldNotRecordRead = true;
  }

  #of(orderRef: string, functionName: string | undefined): Running[] {
    const all = [...(this.#running.get(orderRef) ?? [])];
    return functionName === undefined ? all : all.filter((running) => running.functionName === functionName);
  }

  #begun(orderRef: string, functionName: string | undefined): Running[] {
    return this.#of(orderRef, functionName).filter(({ hasBegun }) => hasBegun);
  }

  #atWork(orderRef: string, functionName: string | undefined): Running[] {
    return this.#of(orderRef, functionName).filter(({ isPaused }) => !isPaused);
  }

  #isDue(one: Interruption, running: Running, telling: true | undefined): boolean {
    return (
      one.functionName === running.functionName &&
      one.telling === telling &&
      (telling ? running.tellings : running.requests) >= one.request &&
      this.#world.schedule.seconds() >= (one.since ?? 0) &&
      !this.#done.has(one)
    );
  }

  #kill(kill: Interruption, { killed }: Running): Required<Due>['kill'] {
    this.#done.add(kill);
    const moment = kill.telling ? `, ${kill.after ? 'after' : 'before'} it sent an event` : '';
    this.#world.injected.add(`function killed: ${kill.functionName}${moment}`);
    return { after: kill.after, strike: () => killed.abort() };
  }

  #pause(pause: Interruption, running: Running): Required<Due>['pause'] {
    this.#done.add(pause);
    this.#world.injected.add(`function slow: ${pause.functionName}`);
    const { clock, aws } = this.#world;
    const wait = async (isCounted: boolean, most = Number.POSITIVE_INFINITY) => {
      running.isPaused = true;
      running.turns.end();
      const over = new Promise<void>((resolve) => clock.setTimeout(resolve, Math.min(pause.seconds ?? 0, most) * 1000));
      // A function that ends meanwhile takes its invocation and its request with it: both are counted as ended then.
      const atRest = Promise.race([over, running.ended.promise]);
      await Promise.all([aws.pauseUntil(atRest), isCounted ? aws.pauseUntil(atRest) : atRest]);
      await over;
      if (running.hasEnded) return;
      await running.turns.begin();
      if (running.hasEnded) running.turns.end();
      else running.isPaused = false;
    };
    return { after: pause.after, wait };
  }
}

/** The number of invocations of a function that run at once. Each has a thread, and more threads than cores would only use memory. */
const AT_ONCE = 2;

/** Limits how many invocations of one function run at once. A paused invocation does not count. */
class Turns {
  #left: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#left = atOnce;
  }

  async begin(): Promise<void> {
    if (this.#left > 0) this.#left -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#left += 1;
  }
}
