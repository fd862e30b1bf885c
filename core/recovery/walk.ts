import type { DrivenOrder } from './abandoned-order.ts';
import type { RunningList } from './running-list.ts';

/** Values of `waitingFor` in the order of the walk. */
export const WALKED = ['service', 'signatures', 'decision', 'operator'] as const;
export type Walked = (typeof WALKED)[number];

/** The most that one sweep does. Ten questions a second to Step Functions are allowed (docs/capacity.md), and a start takes two. */
export const budgetOf = (starts: number) => ({ starts, marks: starts, questions: 250 + 2 * starts });
export type Budget = ReturnType<typeof budgetOf>;

/** Where sweeps stopped. The next one goes on there. */
export interface Progress<Census> {
  list?: RunningList | undefined;
  /** A walk through all orders that are not over, longest unchanged first, which one sweep could not finish. */
  walk?: Walk<Census> | undefined;
  /** The place of the last order that was examined. Those behind it come first. Absent after all had their turn. */
  examined?: string | undefined;
}

export interface Walk<Census> {
  /** What was counted so far. */
  census: Census;
  after?: Pick<DrivenOrder, 'orderRef' | 'changedAt'> & { whom: Walked };
  /** `since` of the list of running executions that the walk began with. */
  since?: string | undefined;
  /** The budget did not last for every suspect. */
  left?: true;
}

export interface WalkActs {
  orders(whom: Walked, after: Walk<unknown>['after']): AsyncIterable<DrivenOrder> | DrivenOrder[];
  count(whom: Walked, order: DrivenOrder): void;
  isSuspect(order: DrivenOrder): boolean;
  examine(order: DrivenOrder): Promise<void>;
  /** For orders that are not suspects. */
  pass(order: DrivenOrder): Promise<void> | undefined;
  isBudgetLeft(): boolean;
  isTimeLeft(): boolean;
}

/**
 * Goes on with the walk until there is no time. Counts each order, and examines suspects as long as the budget lasts. Changes `progress`.
 * @returns the census if the walk is over: then every order was counted once.
 */
export async function walkOn<Census>(
  progress: Progress<Census>,
  walk: Walk<Census>,
  acts: WalkActs,
): Promise<Census | undefined> {
  progress.walk = walk;
  for (const [position, whom] of WALKED.entries()) {
    if (walk.after && position < WALKED.indexOf(walk.after.whom)) continue;
    for await (const order of acts.orders(whom, walk.after?.whom === whom ? walk.after : undefined)) {
      if (!acts.isTimeLeft()) return undefined;
      acts.count(whom, order);
      const { orderRef, changedAt } = order;
      walk.after = { whom, orderRef, changedAt };
      const place = `${position} ${changedAt}`;
      if (!acts.isSuspect(order)) await acts.pass(order);
      else if (place > (progress.examined ?? '')) {
        if (!acts.isBudgetLeft()) walk.left = true;
        if (walk.left) continue;
        await acts.examine(order);
        progress.examined = place;
      }
    }
  }
  if (!walk.left) {
    progress.examined = undefined;
    if (walk.since === progress.list?.since) progress.list = undefined;
  }
  progress.walk = undefined;
  return walk.census;
}
