import { expect, onTestFinished, test, vi } from 'vitest';
import { judge } from '../../../../core/offers/rule.ts';
import { ruleEvaluator } from '../../../../core/offers/rule-evaluator.ts';
import type { Offer } from '../../../../core/order-service/order-service-client.ts';

const offers = [
  { offerId: 'offer-1', status: 'AVAILABLE', creditOptions: [{ code: 'A' }] },
  { offerId: 'offer-2', status: 'REFUSED', creditOptions: [] },
] as Offer[];
const FIRST = "offers[status='AVAILABLE'][0].{ 'offerId': offerId, 'code': creditOptions[0].code }";
const choosesFirst = { choices: [{ offerId: 'offer-1', code: 'A' }] };

const input = JSON.stringify({ order: {}, offers });
const evaluate = ruleEvaluator();
/** Two seconds are not enough on a busy machine. */
const apply = async (rule: string) => judge(await evaluate({ rule, input }, 60), offers);

test('a rule that does not end is stopped after two seconds, with the reason', async () => {
  const { setTimeout } = globalThis;
  const sooner = (end: () => void) => setTimeout(end, 50);
  const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(sooner as typeof setTimeout);
  onTestFinished(() => timer.mockRestore());
  const outcome = await evaluate({ rule: `$match("${'a'.repeat(60)}!", /^(a+)+$/)`, input });
  expect(outcome).toEqual({ reason: 'The rule did not end within 2 seconds.' });
  expect(timer).toHaveBeenCalledWith(expect.any(Function), 2_000);
});

test.each([
  ['throws an error of its own', '$error("no")', 'The rule failed (JSONata D3137).'],
  ['is not JSONata', 'offers[', 'The rule failed (JSONata S0203).'],
  ['returns no choices', '42', 'The rule did not return a list of { offerId, code }.'],
  ['returns a function', 'function($x) { $x }', 'The rule did not return a list of { offerId, code }.'],
  ['returns far too many', '[1..101]', 'The rule returned more than 100 choices.'],
  ['chooses nothing', "offers[status='NOBODY']", 'The rule chose no offer.'],
  [
    'chooses a code that does not exist',
    "{ 'offerId': offers[0].offerId, 'code': 'X' }",
    expect.stringMatching(/^The rule/),
  ],
  ['looks for environment variables', '$eval("process.env.PATH") ? offers : []', 'The rule chose no offer.'],
  [
    'calls itself without end',
    '($f := function($a) { $f($a & "a") + 1 }; $f("a"))',
    expect.stringMatching(/^The rule/),
  ],
])('a rule that %s makes no choice and gives the reason', async (_name, rule, reason) => {
  expect(await apply(rule)).toEqual({ reason });
});

test('rules that are evaluated at the same time get their own results, even after one needed too much memory', async () => {
  expect(await Promise.all([FIRST, '[1..10000000]', FIRST, '[]', FIRST].map(apply))).toEqual([
    choosesFirst,
    { reason: 'The rule needed more than 64 MB of memory.' },
    choosesFirst,
    { reason: 'The rule chose no offer.' },
    choosesFirst,
  ]);
});
