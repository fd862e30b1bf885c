import { expect, test } from 'vitest';
import { rejectedRows } from '../../../../commands/shared/rejected-lines.ts';
import { answerKey } from '../../../../core/staging/rejected-upload.ts';

test('the key of an upload and the address of its answer show characters that cannot be seen', () => {
  const key = 'orders/x\u001b[31m\u202e/order.json';
  const at = '2026-01-02T03:04:05.678Z';
  const answer = answerKey({ key, versionId: 'v' });
  const why = ['\u202ewhy', 'and why'];
  const [, row = '', ...problems] = rejectedRows([
    { kind: 'package', key, since: at, lastAt: at, answer, why, problems: [] },
  ]);
  expect(problems).toEqual(['  %E2%80%AEwhy', '  and why']);
  expect(row.split(/ {2,}/)).toEqual([
    'orders/x%1B[31m%E2%80%AE/order.json',
    '2026-01-02 03:04:05Z',
    '2026-01-02 03:04:05Z',
    'rejected/orders/x%1B%5B31m%E2%80%AE/order.json/v.json',
  ]);
});
