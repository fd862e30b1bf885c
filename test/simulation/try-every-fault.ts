import type { BatchOptions, BatchResult } from './batch.ts';
import { kindsOf, ordersWithAwsFaults, ordersWithServiceFaults } from './plan/every-fault.ts';
import type { OrderPlan } from './plan/order-plan.ts';
import { runInProcess } from './simulate.ts';

/** Drives orders through every fault of every call, in two processes. Returns the number of problems, and prints them. */
export async function tryEveryFault(assemblyDirectory: string): Promise<number> {
  const groups = [ordersWithServiceFaults, ordersWithAwsFaults];
  const problems = await Promise.all(groups.map((plans) => problemsWith(plans, assemblyDirectory, runInProcess)));
  for (const problem of problems.flat()) console.log(`  ${problem}`);
  return problems.flat().length;
}

/** What is wrong after orders met their faults. */
export async function problemsWith(
  plans: readonly OrderPlan[],
  assemblyDirectory: string,
  run: (options: BatchOptions) => Promise<BatchResult>,
): Promise<string[]> {
  const result = await run({ plans, assemblyDirectory });
  const { violations, outcomes, injected, operated } = result;
  const missing = new Set(plans.flatMap(kindsOf).filter((kind) => !injected[kind]));
  const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return [
    ...violations.map(({ orderRef, what }) => `${orderRef}: ${what}`),
    ...[...missing].map((kind) => `no order met the fault ${kind}`),
    ...Object.keys(operated).filter(isNeedless),
    ...(ended === plans.length ? [] : [`${ended} of ${plans.length} orders have an outcome`]),
  ];
}

/** A fault of Secrets Manager ends every token: a call that meets that twice in a row goes to an operator. */
function isNeedless(what: string): boolean {
  return what.startsWith('retried') && !/OutcomeUnknown|SigningKeyUnusable|Unauthorized/.test(what);
}
