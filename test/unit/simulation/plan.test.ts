import { expect, test } from 'vitest';
import { MOST_ODD_READS, oddAnswerKinds } from '../../simulation/plan/odd-answers.ts';
import { type OrderPlan, planOptions, serviceCalls, serviceFaultKinds } from '../../simulation/plan/order-plan.ts';
import { planOrder } from '../../simulation/plan/plan.ts';

const orderRefs = Array.from({ length: 3_000 }, (_order, position) => `order-${position + 1}`);
const plans = orderRefs.map((orderRef) => planOrder('1', orderRef));

const share = (matches: (plan: OrderPlan) => unknown) => plans.filter(matches).length / plans.length;
const drawn = <Value>(values: (plan: OrderPlan) => Value[]) => new Set(plans.flatMap(values));

test('the same seed gives an order the same plan, whatever other orders are planned', () => {
  expect(planOrder('1', 'order-7')).toEqual(plans[6]);
  expect([...orderRefs].reverse().map((orderRef) => planOrder('1', orderRef))).toEqual([...plans].reverse());
});

test('another seed or another order gives another plan', () => {
  const others = orderRefs.filter((orderRef, position) => {
    const { orderRef: _same, ...plan } = planOrder('2', orderRef);
    const { orderRef: _also, ...first } = plans[position] as OrderPlan;
    return JSON.stringify(plan) !== JSON.stringify(first);
  });
  expect(others).toEqual(orderRefs);
  expect(new Set(plans.map(({ orderRef: _orderRef, ...plan }) => JSON.stringify(plan))).size).toBe(plans.length);
});

test('every fault of the order service is planned, for every call, before and after it is done', () => {
  expect(drawn(({ serviceFaults }) => serviceFaults.map(({ kind }) => kind))).toEqual(new Set(serviceFaultKinds));
  expect(drawn(({ serviceFaults }) => serviceFaults.map(({ call }) => call))).toEqual(new Set(serviceCalls));
  expect(drawn(({ serviceFaults }) => serviceFaults.map(({ after }) => after))).toEqual(new Set([true, false]));
});

test('every fault of AWS is planned, before and after it is done', () => {
  const services = ['DynamoDB', 'S3', 'Secrets Manager', 'Step Functions', 'KMS', 'EventBridge'];
  const kinds = services.flatMap((service) =>
    ['throttled', 'failed', 'reset'].flatMap((kind) => [`${service} ${kind} true`, `${service} ${kind} false`]),
  );
  // KMS refuses its key, and EventBridge an event, before it does anything.
  kinds.push('KMS refused false', 'EventBridge refused false');
  const planned = drawn(({ awsFaults }) => awsFaults.map(({ service, kind, after }) => `${service} ${kind} ${after}`));
  expect([...planned].sort()).toEqual(kinds.sort());
  // Some last longer than the attempts of the SDK.
  expect(Math.max(...drawn(({ awsFaults }) => awsFaults.map(({ times }) => times)))).toBeGreaterThan(3);
});

test('every odd answer is planned, and some reads are odd often enough to end an order', () => {
  const planned = drawn(({ oddAnswers }) => oddAnswers.map(({ call, kind }) => `${call}: ${kind}`));
  const kinds = Object.entries(oddAnswerKinds).flatMap(([call, all]) => all.map((kind) => `${call}: ${kind}`));
  expect([...planned].sort()).toEqual(kinds.sort());
  const times = drawn(({ oddAnswers }) => oddAnswers.map((odd) => odd.times));
  expect([Math.min(...times), Math.max(...times) > MOST_ODD_READS]).toEqual([1, true]);
});

test('every function that works for an order is killed in some plan', () => {
  const functions = [
    'accept-order',
    'await-signatures',
    'choose-offer',
    'confirm-offer',
    'create-order',
    'download-document',
    'intake',
    'read-order',
    'receive',
    'record-end',
    'sign-documents',
    'upload-document',
    'upload-signature',
  ];
  expect([...drawn(({ kills }) => kills.map(({ functionName }) => functionName))].sort()).toEqual(functions);
});

test('events are late and repeated, people do unusual things, and some orders meet no faults', () => {
  const delays = plans.flatMap(({ deliveries }) => deliveries.map((delivery) => delivery.delays));
  expect(delays.some(({ length }) => length > 1)).toBe(true);
  expect(delays.flat().some((delay) => delay > 0)).toBe(true);
  for (const odd of ['broken', 'secondVersionAfter', 'abort', 'operatorAway', 'otherCodesAfter'] as const) {
    expect(share((plan) => plan[odd])).toBeGreaterThan(0.02);
    expect(share((plan) => plan[odd])).toBeLessThan(0.2);
  }
  const faults = ({ serviceFaults, awsFaults, kills, deliveries }: OrderPlan) =>
    [serviceFaults, awsFaults, kills, deliveries].flat().length;
  expect(share((plan) => faults(plan) === 0)).toBeGreaterThan(0.02);
});

test('executions hand over early, and events are lost or very late', () => {
  for (const rare of [
    share(({ handOverAfter }) => handOverAfter),
    share(({ events }) => events.lost),
    share(({ events }) => events.late),
    share(({ polls }) => polls.length > 0),
    share(({ pauses }) => pauses.length > 1),
    share(({ takesRepeatedConfirms }) => takesRepeatedConfirms),
    share(({ signer }) => signer === 'KMS'),
    share(({ replacedDocumentAfter }) => replacedDocumentAfter),
    share(({ goesBack }) => goesBack),
    share(({ withdrawnOffer }) => withdrawnOffer),
  ]) {
    expect(rare).toBeGreaterThan(0.02);
    expect(rare).toBeLessThan(0.5);
  }
});

/** A bad day is a plan of its own. */
const beside = planOptions.filter((option) => option !== 'bad-day');

test('optional events are planned only on request', () => {
  const optional = plans.filter(({ closedAfter, furtherDecisions }) => closedAfter ?? furtherDecisions[0]);
  expect(optional).toEqual([]);
  const asked = orderRefs.slice(0, 100).map((orderRef) => planOrder('1', orderRef, beside));
  expect(asked.some(({ closedAfter }) => closedAfter !== undefined)).toBe(true);
  expect(asked.every(({ furtherDecisions }) => furtherDecisions.length > 0)).toBe(true);
  expect(asked.map((plan) => ({ ...plan, closedAfter: undefined, furtherDecisions: [] }))).toEqual(plans.slice(0, 100));
});

test('an order of a bad day meets nothing else, and nobody helps it', () => {
  const planned = orderRefs.slice(0, 100).map((orderRef) => planOrder('1', orderRef, ['bad-day']));
  for (const { serviceFaults, awsFaults, kills, pauses, oddAnswers, operatorAway } of planned) {
    expect([serviceFaults, awsFaults, kills, pauses, oddAnswers].flat()).toEqual([]);
    expect(operatorAway).toBe(true);
  }
  const hours = planned.map(({ badDay }) => Math.floor((badDay?.startsAfter ?? 0) / 3_600));
  expect(new Set(hours).size).toBeGreaterThan(20);
});

test('every file of the package is uploaded once', () => {
  for (const { documents, uploads } of plans) {
    const files = ['order.json', ...documents.map(({ name }) => `documents/${name}`)];
    expect(uploads.map(({ file }) => file).sort()).toEqual(files.sort());
  }
});
