import { describe, expect, test } from 'vitest';
import type { SimulatedOrder } from '../../../packages/order-simulator/index.ts';
import type { Evidence } from '../../simulation/checks/evidence.ts';
import { finishedOrder } from './evidence.ts';
import { change, first, forget, foundWhen, type Spoil, violations } from './spoiled.ts';

const shown = ({ choicesPage }: Evidence) => choicesPage?.choices ?? [];

const says = (state: string) => (evidence: Evidence) => void Object.assign(first(shown(evidence)), { state });

const over = 'the order is over, but choices.json';

const spoiled: [string, Spoil, string[]][] = [
  ['a choice without an answer', says('chosen'), [`${over} says of <id>: "chosen" in place of "confirmed"`]],
  [
    'a confirmed choice whose outcome is called unknown',
    says('outcome unknown'),
    [`${over} says of <id>: "outcome unknown" in place of "confirmed"`],
  ],
  [
    'a choice that is not shown',
    (evidence) => void shown(evidence).pop(),
    [`${over} does not show the choice of <id>`],
  ],
  [
    'an order without choices.json',
    (evidence) => void Object.assign(evidence, { choicesPage: undefined }),
    Array(2).fill(`${over} does not show the choice of <id>`),
  ],
  [
    'a choice that the record does not have',
    (evidence) => void shown(evidence).push({ offerId: 'other', code: 'FIRST-12', state: 'withdrawn' }),
    ['choices.json shows the choice of other, which is not in our record'],
  ],
  [
    'a code that was not confirmed',
    (evidence) => void Object.assign(first(shown(evidence)), { code: 'ANOTHER' }),
    [`${over} says of <id>: code ANOTHER in place of FIRST-12`],
  ],
];

test.each(spoiled)('the checks find %s', async (_name, spoil, expected) => {
  expect(await foundWhen(spoil)).toEqual(expected);
});

/** Makes a choice one that came too late. */
function comeTooLate(evidence: Evidence, order: SimulatedOrder): void {
  const { offerId } = order.confirmations.pop() ?? {};
  forget(evidence, `operation#confirm#${offerId}`);
  evidence.plan.closedAfter = 0;
}

describe('a choice that came too late', () => {
  test.each([
    ['chosen', 1],
    ['not confirmed', 1],
    ['not confirmed: the order was closed', 0],
  ])('must have an answer: "%s" makes %i violations', async (state, found) => {
    const { evidence, order } = await finishedOrder();
    comeTooLate(evidence, order);
    Object.assign(shown(evidence).at(-1) ?? {}, { state });
    expect(violations(evidence)).toHaveLength(found);
  });

  test('needs no answer in an order that is not over, or whose files retention has removed', async () => {
    const { evidence, order } = await finishedOrder();
    comeTooLate(evidence, order);
    Object.assign(shown(evidence).at(-1) ?? {}, { state: 'chosen' });
    change(evidence, 'order', { removal: { files: {} } });
    expect(violations(evidence)).toEqual([]);
    evidence.plan.operatorAway = true;
    change(evidence, 'order', {
      removal: undefined,
      waitingFor: 'operator',
      failure: { error: 'Throttled', cause: '429' },
    });
    expect(violations(evidence)).toEqual([]);
  });
});

/** The outcome of a confirm is unknown, and the service no longer lists its offer. */
function takeAway(evidence: Evidence, order: SimulatedOrder): void {
  const { offerId = '' } = order.confirmations.pop() ?? {};
  order.offers = order.offers.filter((offer) => offer.offerId !== offerId);
  change(evidence, `operation#confirm#${offerId}`, { state: 'open' });
}

test.each([
  ['outcome unknown', 0],
  ['withdrawn', 1],
  ['confirmed', 1],
])(
  'a choice whose offer the service no longer lists, and whose outcome nobody knows: "%s" makes %i violations',
  async (state, found) => {
    const { evidence, order } = await finishedOrder();
    takeAway(evidence, order);
    Object.assign(shown(evidence).at(-1) ?? {}, { state });
    expect(violations(evidence)).toHaveLength(found);
  },
);
