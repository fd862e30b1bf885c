import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CAPACITY, withOutputs } from '../../../scripts/write-capacity.ts';

test('docs/capacity.md shows what the command prints today (node scripts/write-capacity.ts)', async () => {
  const document = readFileSync(CAPACITY, 'utf8');
  expect(document.match(/^\$ npx loan-orders plan/gm)).toHaveLength(3);
  expect(await withOutputs(document)).toBe(document);
});
