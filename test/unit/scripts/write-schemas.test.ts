import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ORDER_PACKAGE, withMembers } from '../../../scripts/write-schemas.ts';

test('the tables of members in docs/order-package.md are what "npm run generate" writes', () => {
  const page = readFileSync(ORDER_PACKAGE, 'utf8');
  expect(page).toContain('| `decidedBy` (optional) |');
  expect(withMembers(page)).toBe(page);
});
