import { expect, test } from 'vitest';
import { Dice } from '../../simulation/plan/dice.ts';

const draws = (...words: (string | number)[]) => {
  const dice = new Dice(...words);
  return Array.from({ length: 20 }, () => dice.between(1, 1_000_000));
};

test('the same words give the same draws, other words others', () => {
  expect(draws('1', 'order-1')).toEqual(draws('1', 'order-1'));
  for (const other of [draws('2', 'order-1'), draws('1', 'order-2'), draws('1'), draws('order-1', '1')]) {
    expect(other).not.toEqual(draws('1', 'order-1'));
  }
});

test('a whole number comes from between both ends, and from each of them', () => {
  const dice = new Dice('ends');
  const drawn = new Set(dice.several(200, 200, () => dice.between(3, 6)));
  expect([...drawn].sort()).toEqual([3, 4, 5, 6]);
});

test('a chance comes about as often as it says', () => {
  const dice = new Dice('chance');
  const often = (probability: number) =>
    dice.several(2_000, 2_000, () => dice.chance(probability)).filter(Boolean).length;
  expect(often(0.25)).toBeGreaterThan(400);
  expect(often(0.25)).toBeLessThan(600);
  expect([often(0), often(1)]).toEqual([0, 2_000]);
});

test('a weighted key comes about as often as its weight says, and never without one', () => {
  const dice = new Dice('weights');
  const counts = { often: 0, seldom: 0, never: 0 };
  for (let draw = 0; draw < 2_000; draw += 1) counts[dice.weighted({ often: 90, seldom: 10, never: 0 })] += 1;
  expect(counts.often).toBeGreaterThan(1_700);
  expect(counts.seldom).toBeGreaterThan(100);
  expect(counts.never).toBe(0);
});

test('several are as many as are drawn between the two ends', () => {
  const dice = new Dice('several');
  const lengths = new Set(Array.from({ length: 100 }, () => dice.several(0, 2, () => 'x').length));
  expect([...lengths].sort()).toEqual([0, 1, 2]);
});

test('shuffled are the same items in another order; the list that was given stays as it is', () => {
  const dice = new Dice('shuffled');
  const items = Array.from({ length: 20 }, (_item, position) => position);
  const shuffled = dice.shuffled(items);
  expect(shuffled).not.toEqual(items);
  expect([...shuffled].sort((one, other) => one - other)).toEqual(items);
  expect(items).toEqual(Array.from({ length: 20 }, (_item, position) => position));
});

test('nothing can be picked from nothing', () => {
  const dice = new Dice('nothing');
  expect(() => dice.pick([])).toThrow(RangeError);
  expect(() => dice.weighted({})).toThrow('nothing to pick from');
});
