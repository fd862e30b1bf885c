import type { DrivenOrder } from './abandoned-order.ts';
import type { RunningList } from './running-list.ts';

/** Values of `waitingFor` in the order of the walk. An execution must drive an order, unless the order waits for an operator. */
export const WALKED = ['service', 'signatures', 'decision', 'operator'] as const;
export type Walked = (typeof WALKED)[number];

/** An order in the walk. Those that wait for the same are in the order of `changedAt`. */
export type Stop = Pick<DrivenOrder, 'orderRef' | 'changedAt'> & { whom: Walked };

/** The most that one sweep does. */
export interface Budget {
  starts: number;
  marks: number;
  /** Executions that Step Functions is asked about, at most ten a second (docs/capacity.md). A start takes two. */
  questions: number;
}

export const budgetOf = (mostStarts: number): Budget => ({
  starts: mostStarts,
  marks: mostStarts,
  questions: 250 + 2 * mostStarts,
});

/** Where sweeps stopped. The next one goes on there. */
export interface Progress<Census> {
  /** The list of running executions that is being made, or that the walk uses. */
  list?: RunningList | undefined;
  /** A walk through all orders that are not over, which one sweep could not finish. */
  walk?: Walk<Census> | undefined;
  /** The last order that was examined. Those behind it come first, so every order has its turn. Absent after all had it. */
  examined?: Stop | undefined;
}

export interface Walk<Census> {
  /** What was counted so far. */
  census: Census;
  after?: Stop;
  /** `since` of the list of running executions that the walk began with. */
  since?: string | undefined;
  /** The budget was used up before an order could be examined. */
  left?: true;
}

export interface WalkActs {
  orders(whom: Walked, after: Stop | undefined): AsyncIterable<DrivenOrder> | Iterable<DrivenOrder>;
  count(whom: Walked, order: DrivenOrder): void;
  isSuspect(order: DrivenOrder): boolean;
  /** For orders that are not suspects. */
  pass(order: DrivenOrder): Promise<void> | undefined;
  /** Takes from the budget what it needs. */
  examine(order: DrivenOrder): Promise<void>;
  isBudgetLeft(): boolean;
  /** Whether there is time. */
  mayGoOn(): boolean;
}

/**
 * Walks through the orders, where the last sweep stopped, until there is no time. Counts each order, and examines suspects as long as
 * the budget lasts. Changes `progress`.
 * @returns the census if the walk is over: then every order was counted once.
 */
export async function walkOn<Census>(
  progress: Progress<Census>,
  walk: Walk<Census>,
  acts: WalkActs,
): Promise<Census | undefined> {
  progress.walk = walk;
  const first = walk.after ? WALKED.indexOf(walk.after.whom) : 0;
  for (const whom of WALKED.slice(first))
    for await (const order of acts.orders(whom, walk.after?.whom === whom ? walk.after : undefined)) {
      if (!acts.mayGoOn()) return undefined;
      acts.count(whom, order);
      const { orderRef, changedAt } = order;
      walk.after = { whom, orderRef, changedAt };
      if (!acts.isSuspect(order)) {
        const passing = acts.pass(order);
        if (passing) await passing;
      } else if (!comesAfter(walk.after, progress.examined)) continue;
      else if (walk.left || !acts.isBudgetLeft()) walk.left = true;
      else {
        await acts.examine(order);
        progress.examined = walk.after;
      }
    }
  if (!walk.left) {
    progress.examined = undefined;
    if (walk.since === progress.list?.since) progress.list = undefined;
  }
  progress.walk = undefined;
  return walk.census;
}

function comesAfter(stop: Stop, examined: Stop | undefined): boolean {
  if (!examined) return true;
  const [one, other] = [WALKED.indexOf(stop.whom), WALKED.indexOf(examined.whom)];
  return one === other ? stop.changedAt > examined.changedAt : one > other;
}
