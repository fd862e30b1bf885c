import { expect, test } from 'vitest';
import { Dice } from '../../simulation/plan/dice.ts';

const draws = (...words: (string | number)[]) => {
  const dice = new Dice(...words);
  return Array.from({ length: 20 }, () => dice.between(1, 1_000_000));
};

test('dice with the same words give the same numbers, and dice with other words give other numbers', () => {
  expect(draws('1', 'order-1')).toEqual(draws('1', 'order-1'));
  for (const other of [draws('2', 'order-1'), draws('1', 'order-2'), draws('1'), draws('order-1', '1')]) {
    expect(other).not.toEqual(draws('1', 'order-1'));
  }
});

test('between gives every whole number from one end to the other', () => {
  const dice = new Dice('ends');
  const drawn = new Set(dice.several(200, 200, () => dice.between(3, 6)));
  expect([...drawn].sort()).toEqual([3, 4, 5, 6]);
});

test('chance is true about as often as its probability says', () => {
  const dice = new Dice('chance');
  const often = (probability: number) =>
    dice.several(2_000, 2_000, () => dice.chance(probability)).filter(Boolean).length;
  expect(often(0.25)).toBeGreaterThan(400);
  expect(often(0.25)).toBeLessThan(600);
  expect([often(0), often(1)]).toEqual([0, 2_000]);
});

test('weighted gives a key about as often as its weight says, and never with weight 0', () => {
  const dice = new Dice('weights');
  const counts = { often: 0, seldom: 0, never: 0 };
  for (let draw = 0; draw < 2_000; draw += 1) counts[dice.weighted({ often: 90, seldom: 10, never: 0 })] += 1;
  expect(counts.often).toBeGreaterThan(1_700);
  expect(counts.seldom).toBeGreaterThan(100);
  expect(counts.never).toBe(0);
});

test('several gives every number of results from one end to the other', () => {
  const dice = new Dice('several');
  const lengths = new Set(Array.from({ length: 100 }, () => dice.several(0, 2, () => 'x').length));
  expect([...lengths].sort()).toEqual([0, 1, 2]);
});

test('shuffled gives the same items in another order and does not change the given list', () => {
  const dice = new Dice('shuffled');
  const items = Array.from({ length: 20 }, (_item, position) => position);
  const shuffled = dice.shuffled(items);
  expect(shuffled).not.toEqual(items);
  expect([...shuffled].sort((one, other) => one - other)).toEqual(items);
  expect(items).toEqual(Array.from({ length: 20 }, (_item, position) => position));
});

test('pick and weighted throw when there is nothing to pick from', () => {
  const dice = new Dice('nothing');
  expect(() => dice.pick([])).toThrow(RangeError);
  expect(() => dice.weighted({})).toThrow('nothing to pick from');
});
