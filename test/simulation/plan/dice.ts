import { hash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Random numbers that depend only on the given words, such as the seed and an orderRef. The same words give the same numbers. */
export class Dice {
  private readonly generator;

  constructor(...words: (string | number)[]) {
    this.generator = xoroshiro128plus(hash('sha256', words.join('/'), 'buffer').readInt32BE());
  }

  chance(probability: number): boolean {
    return uniformFloat64(this.generator) < probability;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return uniformInt(this.generator, least, most);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError('There is nothing to pick from.');
    return item;
  }

  /** One of the keys, with a probability proportional to its weight. */
  weighted<Key extends string>(weights: Record<Key, number>): Key {
    const entries = Object.entries(weights) as [Key, number][];
    let left = uniformFloat64(this.generator) * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    throw new RangeError('There is nothing to pick from.');
  }

  /** A random number of results of `make`, both ends included. */
  several<Item>(least: number, most: number, make: () => Item): Item[] {
    return Array.from({ length: this.between(least, most) }, make);
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const rest = [...items];
    return items.map(() => rest.splice(this.between(0, rest.length - 1), 1)[0] as Item);
  }
}
