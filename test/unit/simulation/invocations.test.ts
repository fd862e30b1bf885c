import { expect, test } from 'vitest';
import type { InvocationResult } from '../../../packages/embedded-aws/index.ts';
import type { SimulatedOrder } from '../../../packages/order-simulator/index.ts';
import { Interruptions } from '../../simulation/faults/interruptions.ts';
import { Invocations } from '../../simulation/faults/invocations.ts';
import { plainPlan } from '../../simulation/plan/plain-plan.ts';
import type { References } from '../../simulation/world/references.ts';
import { Tally } from '../../simulation/world/tally.ts';

const before = { at: 0, pollAfterSeconds: 10 };
const during = { at: 20_000, pollAfterSeconds: 10 };

/** The order's last read after a function has read it and ended with this error. */
async function lastReadAfter(functionName: string, errorType?: string) {
  const order = { lastRead: before } as SimulatedOrder;
  const references = { order: () => order } as unknown as References;
  const interruptions = new Interruptions({
    plans: new Map(),
    injected: new Tally(),
    now: () => 0,
    later: async () => {},
    standStill: async () => {},
  });
  const invocations = new Invocations({
    plans: new Map(),
    tokens: new Map(),
    interruptions,
    references,
    swept: new Tally(),
    now: () => 0,
    onEnd: () => {},
    onSignatureSent: () => {},
  });
  const invoke = async (): Promise<InvocationResult> => {
    order.lastRead = during;
    if (!errorType) return { payload: '{}' };
    return { payload: JSON.stringify({ errorType, errorMessage: '' }), functionError: 'Unhandled' };
  };
  await invocations.wrapper(`loan-orders-local-${functionName}`, { orderRef: 'order-1' }, invoke);
  return order.lastRead;
}

test.each([
  ['read-order', 'Runtime.ExitError'],
  ['accept-order', 'Sandbox.Timedout'],
])('a read by %s does not count when it ends with %s', async (functionName, errorType) => {
  expect(await lastReadAfter(functionName, errorType)).toEqual(before);
});

test.each([
  ['read-order', undefined],
  ['read-order', 'InternalServerError'],
  ['confirm-offer', 'Throttled'],
  ['receive', 'Runtime.ExitError'],
])('a read during %s counts when it ends with %s', async (functionName, errorType) => {
  expect(await lastReadAfter(functionName, errorType)).toEqual(during);
});

test.each([
  [0, 0],
  [1, 198],
  [199, 199],
])('read-order of an execution that must hand over after three reads gets %i reads as %i', async (reads, expected) => {
  const plans = new Map([['order-1', plainPlan('order-1', { handOverAfter: 3 })]]);
  const invocations = new Invocations({
    plans,
    tokens: new Map(),
    interruptions: new Interruptions({
      plans,
      injected: new Tally(),
      now: () => 0,
      later: async () => {},
      standStill: async () => {},
    }),
    references: { order: () => undefined } as unknown as References,
    swept: new Tally(),
    now: () => 0,
    onEnd: () => {},
    onSignatureSent: () => {},
  });
  const given: unknown[] = [];
  await invocations.wrapper('loan-orders-local-read-order', { orderRef: 'order-1', reads }, async (event) => {
    given.push(event);
    return { payload: '{}' };
  });
  expect(given).toEqual([{ orderRef: 'order-1', reads: expected }]);
});
