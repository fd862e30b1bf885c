import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { expect, test } from 'vitest';
import { MODULE } from '../../../../commands/offers/rule-explainer-module.ts';
import { Evaluator } from '../../../../core/offers/rule-evaluator.ts';

const SEED = 20_261_124;
const INPUT = JSON.stringify({ order: { text: 'abc' }, offers: [] });
/** A rule has 64 MB. The thread and the texts that go in and out of it take the rest. */
const MOST_BYTES = 128 * 1024 * 1024;

/** Runs a rule, and returns how much more memory this process used meanwhile, in bytes. */
async function measured(evaluator: Evaluator, rule: string, mostSeconds: number) {
  const before = process.memoryUsage.rss();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before);
  }, 2);
  const outcome = await evaluator.evaluate({ rule, input: INPUT }, mostSeconds);
  clearInterval(watch);
  return { outcome, bytes: most };
}

/** Rules of random parts: large texts and ranges, functions that call themselves, expressions that try many ways, and fragments. */
function* hostileRules(seed: number): Generator<string> {
  const random = xoroshiro128plus(seed);
  const pick = <One>(list: One[]) => list[uniformInt(random, 0, list.length - 1)] as One;
  const size = () => 10 ** uniformInt(random, 1, 9);
  const part = (depth: number): string => {
    const ends = ['order', 'offers', '$', '"x"', '1e308', 'null', '$now()', '"\u202e"', 'order.text', '$sum', '[', ')'];
    if (depth === 0) return pick(ends);
    const inner = () => part(depth - 1);
    return pick([
      () => `$pad(${inner()}, ${size()})`,
      () => `[1..${size()}].(${inner()})`,
      () => `($f := function($a) { $f($a & ${inner()}) }; $f("a"))`,
      () => `$match($pad("a", 40, "a") & ${inner()}, /^(a+)+$/)`,
      () => `$eval($string(${inner()}))`,
      () => `{ "offerId": ${inner()}, "code": ${inner()} }`,
      () => `$map([${inner()}, ${inner()}], function($v) { $v ~> $string })`,
      () => `$reduce([1..${size()}], function($a, $b) { $a & $b })`,
      () => `$split(${inner()}, "")`,
      () => `$base64encode(${inner()})`,
      () => `$formatNumber(${size()}, $pad("#", ${size()}, "#"))`,
    ])();
  };
  for (;;) yield part(uniformInt(random, 0, 4));
}

test.each([
  ['answered', undefined, 5],
  ['explained', MODULE, 2],
])('hostile rules are all %s, each within its time and memory', async (_what, module, count) => {
  const evaluator = new Evaluator(module);
  const rules = hostileRules(SEED);
  for (let place = 0; place < count; place += 1) {
    const rule = rules.next().value as string;
    const { outcome, bytes } = await measured(evaluator, rule, 0.1);
    expect('choices' in outcome || 'reason' in outcome, rule).toBe(true);
    expect(JSON.stringify(outcome).length, rule).toBeLessThan(1_000_000);
    expect(bytes, rule).toBeLessThan(MOST_BYTES);
  }
});
