import { describe, expect, test } from 'vitest';
import { applyRule, judge } from '../../../../core/offers/rule.ts';
import { Evaluator } from '../../../../core/offers/rule-evaluator.ts';
import type { Offer } from '../../../../core/order-service/order-service-client.ts';

const offers = [
  { offerId: 'offer-1', status: 'AVAILABLE', creditOptions: [{ code: 'A' }] },
  { offerId: 'offer-2', status: 'REFUSED', creditOptions: [] },
] as Offer[];
const order = { text: 'a'.repeat(100_000) };
const FIRST = "offers[status='AVAILABLE'][0].{ 'offerId': offerId, 'code': creditOptions[0].code }";
const choosesFirst = { choices: [{ offerId: 'offer-1', code: 'A' }] };

const input = JSON.stringify({ order, offers });
/** Two seconds are not enough to fill the memory on a busy machine. */
const MANY_SECONDS = 60;
const apply = (rule: string) => applyRule(rule, order, offers);

describe('a rule that does not end is stopped, with the reason', () => {
  const reason = 'The rule did not end within 2 seconds.';
  const evaluator = new Evaluator();

  test('$match', async () => {
    const rule = `$match("${'a'.repeat(60)}!", /^(a+)+$/)`;
    expect(await evaluator.evaluate({ rule, input })).toEqual({ reason });
  });

  test.each([
    ['$replace', `$replace("${'a'.repeat(60)}!", /^(a+)+$/, "")`],
    ['$split', '$split(order.text, /(a*)*b/)'],
    ['a string that is too long', '$pad("x", 600000000)'],
    ['$distinct of a range', '$distinct([1..500000])'],
    ['a function that calls itself', '($f := function($n) { $f($n + 1) }; $f(1))'],
  ])('%s, here much sooner', async (_name, rule) => {
    expect(await evaluator.evaluate({ rule, input }, 0.2)).toEqual({ reason });
  });
});

describe('a rule that needs too much memory is stopped, with the reason', () => {
  const evaluator = new Evaluator();

  test.each([
    ['a large range', '[1..10000000]'],
    ['many short texts', '$split($pad("x", 3000000, "ab"), "a")'],
    ['a long string in parts', '$split($pad("x", 50000000, "ab"), "a")'],
    ['a string that doubles', '($f := function($s) { $f($uppercase($s & $s)) }; $f("abc"))'],
  ])('%s', async (_name, rule) => {
    const outcome = await evaluator.evaluate({ rule, input }, MANY_SECONDS);
    expect(outcome).toMatchObject({ reason: 'The rule needed more than 64 MB of memory.' });
  });
});

test.each([
  ['throws an error of its own', '$error("no")', 'The rule failed (JSONata D3137).'],
  ['is not JSONata', 'offers[', 'The rule failed (JSONata S0203).'],
  ['returns no choices', '42', 'The rule did not return a list of { offerId, code }.'],
  ['returns a function', 'function($x) { $x }', 'The rule did not return a list of { offerId, code }.'],
  ['returns far too many', '[1..101]', 'The rule returned more than 100 choices.'],
])('a rule that %s makes no choice and gives the reason', async (_name, rule, reason) => {
  expect(await apply(rule)).toEqual({ reason });
});

test('rules that are evaluated at the same time get their own results, even after one was stopped', async () => {
  const evaluator = new Evaluator();
  const rules = [FIRST, '[1..10000000]', FIRST, '$error("no")', '[]', FIRST];
  const judged = rules.map(async (rule) => judge(await evaluator.evaluate({ rule, input }, MANY_SECONDS), offers));
  expect(await Promise.all(judged)).toEqual([
    choosesFirst,
    { reason: 'The rule needed more than 64 MB of memory.' },
    choosesFirst,
    { reason: 'The rule failed (JSONata D3137).' },
    { reason: 'The rule chose no offer.' },
    choosesFirst,
  ]);
});

test('a rule sees no environment variables', async () => {
  expect(await apply('$eval("process.env.PATH") ? offers : []')).toEqual({ reason: 'The rule chose no offer.' });
});
