import { expect, test } from 'vitest';
import { Clocks } from '../../simulation/faults/clocks.ts';
import { Tally } from '../../simulation/world/tally.ts';

const machines = ['read-order', 'read-order', 'create-order', 'accept-order', 'confirm-offer', 'receive'];

test('machines have different clocks, the same in every run, and each is counted', () => {
  const injected = new Tally();
  const skews = machines.map(new Clocks({ injected }).skewOf);
  expect(new Set(skews).size).toBe(machines.length);
  expect(machines.map(new Clocks({ injected: new Tally() }).skewOf)).toEqual(skews);
  expect(machines.map(new Clocks({ injected: new Tally(), seed: '1' }).skewOf)).not.toEqual(skews);
  expect(injected.total()).toBe(machines.length);
  expect(skews.every((skew) => Math.abs(skew) <= 1_000)).toBe(true);
});

test('of two machines of a function in turn, one is ahead and the other behind, by one to two seconds together', () => {
  const { skewOf } = new Clocks({ injected: new Tally() });
  const skews = Array.from({ length: 10 }, () => skewOf('read-order'));
  const differences = skews.slice(1).map((skew, position) => Math.abs(skew - (skews[position] ?? 0)));
  expect(Math.min(...differences)).toBeGreaterThan(1_000);
  expect(Math.max(...differences)).toBeLessThan(2_000);
});

test('right clocks differ from nothing, and are not counted', () => {
  const injected = new Tally();
  expect(machines.map(new Clocks({ injected, areRight: true }).skewOf)).toEqual(machines.map(() => 0));
  expect(injected.total()).toBe(0);
});
