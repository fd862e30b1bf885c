import { expect, test } from 'vitest';
import { Clocks } from '../../simulation/faults/clocks.ts';
import { Tally } from '../../simulation/world/tally.ts';

const machines = ['read-order', 'read-order', 'create-order', 'accept-order', 'confirm-offer', 'receive'];

test('machines have different clocks, the same in every run, and each is counted', () => {
  const injected = new Tally();
  const skews = machines.map(new Clocks(injected).skewOf);
  expect(new Set(skews).size).toBe(machines.length);
  expect(machines.map(new Clocks(new Tally()).skewOf)).toEqual(skews);
  expect(injected.total()).toBe(machines.length);
  expect(skews.every((skew) => Math.abs(skew) <= 1_000)).toBe(true);
});
