import { expect, test } from 'vitest';
import { rejectedRows } from '../../../../commands/orders/list-rejected.ts';
import { lineItem, REJECTED } from '../../../../core/people/rejected-line.ts';

test('the key of an upload and the address of its answer show characters that cannot be seen', () => {
  const key = 'orders/x\u001b[31m\u202e/order.json';
  const at = '2026-01-02T03:04:05.678Z';
  const known = { orderRef: REJECTED, item: lineItem(key), since: at, lastAt: at, versionId: 'v' } as const;
  const [, row = ''] = rejectedRows([{ ...known, kind: 'package', key, why: '\u202ewhy' }]);
  expect(row.split(/ {2,}/)).toEqual([
    'orders/x%1B[31m%E2%80%AE/order.json',
    '2026-01-02 03:04:05Z',
    '2026-01-02 03:04:05Z',
    'orders/x%1B[31m%E2%80%AE/rejected.json',
    '%E2%80%AEwhy',
  ]);
});
