import { expect, test } from 'vitest';
import { isKill, kindWeights, type OrderPlan } from '../../simulation/plan/order-plan.ts';
import { planOrder } from '../../simulation/plan/plan.ts';

const plans = Array.from({ length: 3_000 }, (_order, position) => planOrder('1', `order-${position + 1}`));
const drawn = <Value>(values: (plan: OrderPlan) => Value[]) => [...new Set(plans.flatMap(values))].sort();

test('the same seed gives an order the same plan, whatever other orders are planned, and another seed another one', () => {
  expect(planOrder('1', 'order-7')).toEqual(plans[6]);
  expect(planOrder('2', 'order-7')).not.toEqual(plans[6]);
});

test('every fault and every function to kill is in some plan', () => {
  expect(drawn(({ serviceFaults }) => serviceFaults.map(({ kind }) => kind))).toEqual(Object.keys(kindWeights).sort());
  expect(
    drawn(({ awsFaults }) => awsFaults.map(({ service, kind, after }) => `${service} ${kind} ${after}`)),
  ).toHaveLength(38);
  expect(
    drawn(({ interruptions }) => interruptions.filter(isKill).map(({ functionName }) => functionName)),
  ).toHaveLength(13);
});
