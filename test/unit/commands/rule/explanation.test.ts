import { expect, test } from 'vitest';
import { explain } from '../../../../commands/rule/explanation.ts';

test('a very long text is cut', () => {
  const explanation = explain({ kind: 'returned', returned: 'x'.repeat(900_000) });
  expect(explanation).toMatchObject({ returned: expect.stringMatching(/^"x+… \(900002 characters\)$/) });
  expect(JSON.stringify(explanation).length).toBeLessThan(10_000);
});
