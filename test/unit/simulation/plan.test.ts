import { expect, test } from 'vitest';
import { oddAnswerKinds } from '../../simulation/plan/odd-answers.ts';
import { type OrderPlan, planOptions, serviceFaultKinds } from '../../simulation/plan/order-plan.ts';
import { planOrder } from '../../simulation/plan/plan.ts';

const orderRefs = Array.from({ length: 3_000 }, (_order, position) => `order-${position + 1}`);
const plans = orderRefs.map((orderRef) => planOrder('1', orderRef));

const share = (matches: (plan: OrderPlan) => unknown) => plans.filter(matches).length / plans.length;
const drawn = <Value>(values: (plan: OrderPlan) => Value[]) => [...new Set(plans.flatMap(values))].sort();

test('the same seed gives an order the same plan, whatever other orders are planned, and another seed another one', () => {
  expect(planOrder('1', 'order-7')).toEqual(plans[6]);
  expect(planOrder('2', 'order-7')).not.toEqual(plans[6]);
});

test('every fault, every odd answer and every function to kill is in some plan', () => {
  expect(drawn(({ serviceFaults }) => serviceFaults.map(({ kind }) => kind))).toEqual([...serviceFaultKinds].sort());
  const odd = Object.entries(oddAnswerKinds).flatMap(([call, kinds]) => kinds.map((kind) => `${call}: ${kind}`));
  expect(drawn(({ oddAnswers }) => oddAnswers.map(({ call, kind }) => `${call}: ${kind}`))).toEqual(odd.sort());
  expect(
    drawn(({ awsFaults }) => awsFaults.map(({ service, kind, after }) => `${service} ${kind} ${after}`)),
  ).toHaveLength(38);
  expect(drawn(({ kills }) => kills.map(({ functionName }) => functionName))).toHaveLength(13);
});

const RARE = [
  'broken',
  'secondVersionAfter',
  'abort',
  'operatorAway',
  'otherCodesAfter',
  'handOverAfter',
  'goesBack',
  'withdrawnOffer',
  'replacedDocumentAfter',
  'takesRepeatedConfirms',
] as const;

test('what is rare happens to some orders and not to most, and some orders meet nothing', () => {
  const shares = [
    ...RARE.map((name) => share((plan) => plan[name])),
    share(({ events }) => events.lost),
    share(({ events }) => events.late),
    share(({ polls }) => polls.length > 0),
    share(({ pauses }) => pauses.length > 1),
    share(({ signer }) => signer === 'KMS'),
    share(({ serviceFaults, awsFaults, kills }) => [serviceFaults, awsFaults, kills].flat().length === 0),
  ];
  expect(Math.min(...shares)).toBeGreaterThan(0.02);
  expect(Math.max(...shares)).toBeLessThan(0.5);
});

test('options add to a plan only what they name, and a bad day has plans of its own', () => {
  const beside = planOptions.filter((option) => option !== 'bad-day');
  const asked = orderRefs.slice(0, 100).map((orderRef) => planOrder('1', orderRef, beside));
  expect(asked.some(({ closedAfter }) => closedAfter !== undefined)).toBe(true);
  expect(asked.map((plan) => ({ ...plan, closedAfter: undefined, furtherDecisions: [] }))).toEqual(plans.slice(0, 100));
  for (const orderRef of orderRefs.slice(0, 100)) {
    const { serviceFaults, awsFaults, kills, pauses, oddAnswers, operatorAway } = planOrder('1', orderRef, ['bad-day']);
    expect([serviceFaults, awsFaults, kills, pauses, oddAnswers].flat()).toEqual([]);
    expect(operatorAway).toBe(true);
  }
});
