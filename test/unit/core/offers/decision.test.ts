import { expect, test } from 'vitest';
import { choiceProblems } from '../../../../core/offers/choices.ts';
import { isDecided } from '../../../../core/offers/decision.ts';
import type { Decision } from '../../../../core/order/decision-states.ts';
import type { Offer } from '../../../../core/order-service/order-service-client.ts';

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
  expect(problems.map(({ path }) => path)).toEqual([
    '$.choices[0].offerId',
    '$.choices[1].offerId',
    '$.choices[2].code',
    '$.choices[3].offerId',
  ]);
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
