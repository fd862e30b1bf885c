import { expect, onTestFinished, test, vi } from 'vitest';
import { choiceProblems } from '../../../../core/offers/choices.ts';
import { isDecided } from '../../../../core/offers/decision.ts';
import { judge } from '../../../../core/offers/rule.ts';
import { ruleEvaluator } from '../../../../core/offers/rule-evaluator.ts';
import type { Decision } from '../../../../core/order/decision-states.ts';
import type { OrderItem } from '../../../../core/order/order-item.ts';
import type { Offer } from '../../../../core/order-service/order-service-client.ts';
import { openLedger } from '../ledger/open-ledger.ts';

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

const offer = (offerId: string, status = 'AVAILABLE') => ({ offerId, status, creditOptions: [{ code: 'X' }] }) as Offer;
const choice = (offerId: string, code = 'X') => ({ offerId, code });

const decision = (...choices: [string, Decision['choices'][number]['confirm']][]): Decision => ({
  none: false,
  choices: choices.map(([offerId, confirm]) => ({ choice: choice(offerId), confirm })),
});

test('an order is decided if no offer is wanted or a choice is confirmed or can be, but not if all chosen offers are gone', () => {
  expect(isDecided(undefined, [offer('a')])).toBe(false);
  expect(isDecided({ none: true, choices: [] }, [offer('a')])).toBe(true);
  expect(isDecided(decision(['a', 'done']), [])).toBe(true);
  expect(isDecided(decision(['a', 'not-begun']), [offer('a')])).toBe(true);
  expect(isDecided(decision(['a', 'not-begun']), [offer('a', 'EXPIRED'), offer('b')])).toBe(false);
});

test('each choice that cannot be confirmed is reported with its position, and a confirmed choice may be repeated', () => {
  const offers = [offer('a'), offer('b', 'REFUSED')];
  const problems = choiceProblems([choice('nobody'), choice('b'), choice('a', 'Y'), choice('a')], offers);
  const paths = ['$.choices[0].offerId', '$.choices[1].offerId', '$.choices[2].code', '$.choices[3].offerId'];
  expect(problems.map(({ path }) => path)).toEqual(paths);
  for (const { problem, fix } of problems) expect([problem, fix].every((text) => text.endsWith('.'))).toBe(true);
  expect(choiceProblems([choice('b')], offers, decision(['b', 'done']))).toEqual([]);
  expect(choiceProblems([choice('b', 'Y')], offers, decision(['b', 'done']))).toHaveLength(1);
});

test('a confirmed offer keeps its code, even while it is listed as AVAILABLE with another one', () => {
  const offers = [{ ...offer('a'), creditOptions: [{ code: 'X' }, { code: 'Y' }] } as Offer];
  const [problem] = choiceProblems([choice('a', 'Y')], offers, decision(['a', 'done']));
  expect(problem?.problem).toBe('This offer is confirmed already, with the code X.');
  expect(choiceProblems([choice('a', 'Y')], offers, decision(['a', 'none']))).toEqual([]);
});

const key = { orderRef: 'decided', item: 'order' };
const first = { offerId: 'first', code: 'X' };
const second = { offerId: 'second', code: 'Y' };

async function openDecisions(record: Record<string, unknown>) {
  const { aws, table } = await openLedger();
  const variables = { ...aws.environment, ORDER_TABLE: 'operations' };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  // The table's client belongs to a module, and reads its address from the environment once.
  vi.resetModules();
  await table.putItem({ ...key, ...record });
  const { addDecision } = await import('../../../../core/offers/decision.ts');
  const { findDecision } = await import('../../../../core/order/decision-states.ts');
  const { findOrder } = await import('../../../../core/order/order-record.ts');
  const order = async () => (await findOrder('decided')) as OrderItem;
  return { addDecision, findDecision, order };
}

const BY_RULE = { how: 'rule', at: '2026-01-01T00:00:00.000Z' } as const;
const undecided = { decision: { choices: [], none: false, version: 0 } };

test('of two decisions at once, one is recorded, and the other can be recorded after it', async () => {
  const { addDecision, findDecision, order } = await openDecisions(undecided);
  const seenByBoth = await order();
  const at = '2026-01-01T00:00:00.000Z';
  const decided = { how: 'person', at, file: 'v1', written: { decidedBy: 'Anna' } } as const;
  expect(await addDecision(seenByBoth, { choices: [first], decided })).toMatchObject({ none: false });
  expect(await addDecision(seenByBoth, { choices: [second], decided: BY_RULE })).toBeUndefined();
  expect((await order()).decision).toMatchObject({ choices: [first], version: 1, decided });
  expect(await addDecision(await order(), { choices: [second], decided: BY_RULE })).toMatchObject({ none: false });
  expect((await findDecision(await order()))?.choices).toMatchObject([
    { choice: { ...first, withdrawn: true } },
    { choice: second },
  ]);
});
