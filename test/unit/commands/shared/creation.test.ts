import { expect, test } from 'vitest';
import type { OperationEntry } from '../../../../commands/shared/order-details.ts';
import { creationOverAt, isCorrectable } from '../../../../core/order/creation-word.ts';
import type { OrderItem } from '../../../../core/order/order-item.ts';
import { timeouts } from '../../../../core/timeouts.ts';

const done = { state: 'done', outcome: { orderId: 'one' } } as const;
const begun = Date.parse('2026-01-01T00:00:00Z');
const open: OperationEntry = {
  orderRef: 'a',
  item: 'operation#create',
  knowledge: { state: 'open' },
  attempts: 1,
  attemptId: 'one',
  call: {},
  intendedAt: new Date(begun).toISOString(),
};

test('a creation without a recorded failure may be running for as long as its function may run', () => {
  const over = begun + timeouts.functionSeconds * 1000;
  expect(creationOverAt(open, over - 1)).toEqual(new Date(over));
  expect(creationOverAt(open, over)).toBeUndefined();
});

test('a creation with a recorded failure or outcome is not running', () => {
  expect(creationOverAt({ ...open, failure: 'OutcomeUnknown' }, begun)).toBeUndefined();
  expect(creationOverAt({ ...open, knowledge: done }, begun)).toBeUndefined();
});

test('only an orderId that an operator gave can be corrected, and only before the service has answered a read', () => {
  const [never, read] = [{ status: 'RECEIVED' }, { status: 'IN_WORK' }] as OrderItem[];
  const resolved: OperationEntry = { ...open, knowledge: done, resolvedAt: open.intendedAt };
  expect(isCorrectable(resolved, never as OrderItem)).toBe(true);
  expect(isCorrectable(resolved, read as OrderItem)).toBe(false);
  expect(isCorrectable({ ...open, knowledge: done }, never as OrderItem)).toBe(false);
});
