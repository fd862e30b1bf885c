import { expect, test } from 'vitest';
import { inBatches } from '../../../core/in-batches.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const numbers = Array.from({ length: 25 }, (_, position) => position);

test('after a failure nothing goes on, and the batch has ended', async () => {
  const ended: number[] = [];
  const failing = inBatches(numbers, async (number) => {
    if (number === 12) throw new Error('refused');
    for (let turns = 0; turns < 5; turns += 1) await turn();
    ended.push(number);
  });
  await expect(failing).rejects.toThrow('refused');
  expect(ended).toHaveLength(19);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(ended).toHaveLength(19);
});
