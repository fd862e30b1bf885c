import { expect, test } from 'vitest';
import type { InvocationResult } from '../../../local/aws/index.ts';
import { Invocations } from '../../../simulation/invocations.ts';
import { Kills } from '../../../simulation/kills.ts';
import type { References } from '../../../simulation/references.ts';
import { Tally } from '../../../simulation/tally.ts';
import type { SimulatedOrder } from '../../../simulator/index.ts';

const before = { at: 0, pollAfterSeconds: 10 };
const during = { at: 20_000, pollAfterSeconds: 10 };

/** The order's last read after a function has read it and ended like this. */
async function lastReadAfter(functionName: string, errorType?: string) {
  const order = { lastRead: before } as SimulatedOrder;
  const references = { order: () => order } as unknown as References;
  const invocations = new Invocations({ kills: new Kills(new Map(), new Tally()), references, onEnd: () => {} });
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
])('a read that %s did not live to keep (%s) is taken back', async (functionName, errorType) => {
  expect(await lastReadAfter(functionName, errorType)).toEqual(before);
});

test.each([
  ['read-order', undefined],
  ['read-order', 'InternalServerError'],
  ['confirm-offer', 'Throttled'],
  ['receive', 'Runtime.ExitError'],
])('a read while %s ends as %s counts', async (functionName, errorType) => {
  expect(await lastReadAfter(functionName, errorType)).toEqual(during);
});
