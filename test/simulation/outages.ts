import { columns } from '../../commands/shared/text.ts';
import { plainPlan } from './plan/order-plan.ts';
import { runInProcess } from './simulate.ts';

const ORDERS = 50;
const calls = ['accept', 'confirm', 'create'] as const;

/** Answers 503 to one call for 24 hours, and prints what that costs: 50 orders, a minute apart. Returns the number of problems. */
export async function tryOutages(assemblyDirectory: string): Promise<number> {
  const results = await Promise.all(
    calls.map((down) => {
      const plans = Array.from({ length: ORDERS }, (_, order) =>
        plainPlan(`${down}-${order}`, { operatorAway: true, badDay: { startsAfter: order * 60, down } }),
      );
      return runInProcess({ plans, assemblyDirectory, clocksAreRight: true });
    }),
  );
  const columnsOf = results.map(({ work, outcomes }): Record<string, number> => ({ ...work, ...outcomes }));
  const rows = [...new Set(columnsOf.flatMap(Object.keys))].map((name) => [
    name,
    ...columnsOf.map((counts) => String(counts[name] ?? 0)),
  ]);
  for (const line of columns([['24 hours of 503 to', ...calls], ...rows])) console.log(line);
  const violations = results.flatMap((result) => result.violations);
  for (const { orderRef, what } of violations) console.log(`  ${orderRef}: ${what}`);
  return violations.length;
}
