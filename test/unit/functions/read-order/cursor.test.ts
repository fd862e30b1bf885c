import { expect, test } from 'vitest';
import type { OrderItem } from '../../../../core/order/order-item.ts';
import { isToMoveNow, type ReadOrderInput } from '../../../../functions/read-order/cursor.ts';

const record = { generation: 1, moveTo: { release: 'new', generation: 1, at: '' } } as OrderItem;
const after = (refused: (number | null)[]): ReadOrderInput => ({
  orderRef: 'order',
  generation: 1,
  reads: 5,
  repeats: 0,
  nextReadAt: '',
  known: { confirms: refused.map((version, position) => ({ position, refused: version })) },
});

test('a marked order moves at its next read, also after confirms that were not refused', () => {
  expect(isToMoveNow(record, after([]))).toBe(true);
  expect(isToMoveNow(record, after([null, null]))).toBe(true);
});

test('a marked order stays for one more read if a confirm was refused, because only this execution knows it', () => {
  expect(isToMoveNow(record, after([null, 1]))).toBe(false);
});

test('an order without a mark for its generation stays', () => {
  expect(isToMoveNow({ ...record, generation: 2 }, after([]))).toBe(false);
});
