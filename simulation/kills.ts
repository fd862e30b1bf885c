import type { InvocationResult } from '../local/aws/index.ts';
import type { OrderPlan } from './plan.ts';
import type { Tally } from './tally.ts';

interface Running {
  functionName: string;
  killed: AbortController;
  /** Requests that it has made, to AWS and to the order service. */
  requests: number;
}

/** A kill whose turn has come; the request is left without an answer. */
export interface DueKill {
  after: boolean;
  strike(): void;
}

/** Functions that are killed in the middle of their work, between any two of their requests. */
export class Kills {
  readonly #plans: ReadonlyMap<string, OrderPlan>;
  readonly #injected: Tally;
  readonly #running = new Map<string, Set<Running>>();
  readonly #done = new Set<OrderPlan['kills'][number]>();

  constructor(plans: ReadonlyMap<string, OrderPlan>, injected: Tally) {
    this.#plans = plans;
    this.#injected = injected;
  }

  /** Runs a function of the order so that it can be killed. */
  async run(
    orderRef: string,
    functionName: string,
    invoke: (killed: AbortSignal) => Promise<InvocationResult>,
  ): Promise<InvocationResult> {
    const running = { functionName, killed: new AbortController(), requests: 0 };
    const all = this.#running.get(orderRef) ?? new Set();
    this.#running.set(orderRef, all.add(running));
    try {
      return await invoke(running.killed.signal);
    } finally {
      all.delete(running);
    }
  }

  /** A request of the order has arrived: the kill that is due at it, to be struck before or after it is carried out. */
  due(orderRef: string): DueKill | undefined {
    const kills = this.#plans.get(orderRef)?.kills ?? [];
    for (const running of this.#running.get(orderRef) ?? []) {
      running.requests += 1;
      const kill = kills.find(
        ({ functionName, request }) => functionName === running.functionName && running.requests >= request,
      );
      if (!kill || this.#done.has(kill)) continue;
      this.#done.add(kill);
      this.#injected.add(`function killed: ${kill.functionName}`);
      return { after: kill.after, strike: () => running.killed.abort() };
    }
    return undefined;
  }
}
