import { expect, test } from 'vitest';
import { toSignKey } from '../../../../../functions/shared/order/staging.ts';

test.each([
  ['5108adbe-16de', 'orders/ref/to-sign/5108adbe-16de'],
  ['a/b', 'orders/ref/to-sign/a%2Fb'],
  ['договор 1', 'orders/ref/to-sign/%D0%B4%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80%201'],
])('the document %j to sign is staged under one name in one folder', (fileId, key) => {
  expect(toSignKey('ref', fileId)).toBe(key);
});
