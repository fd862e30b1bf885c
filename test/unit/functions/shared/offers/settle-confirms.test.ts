import { expect, test } from 'vitest';
import { type Knowledge, NONE, OPEN, UNLIKELY } from '../../../../../functions/shared/ledger/knowledge.ts';
import { provenConfirms } from '../../../../../functions/shared/offers/settle-confirms.ts';
import { type Decision, joinStates } from '../../../../../functions/shared/order/choices.ts';
import type { Order } from '../../../../../functions/shared/order/order-service-client.ts';

const done: Knowledge = { state: 'done', outcome: {} };
const open = OPEN;
const throttled = UNLIKELY;
const unsent = NONE;

function decisionOf(entries: Record<string, Knowledge>): Decision {
  const choices = Object.keys(entries).map((offerId) => ({ offerId, code: 'X' }));
  const items = Object.entries(entries).map(([offerId, knowledge]) => ({
    item: `operation#confirm#${offerId}`,
    knowledge,
  }));
  return { none: false, choices: joinStates(choices, items) };
}

const orderOf = (status: string, offers: Record<string, string>) =>
  ({ status, offers: Object.entries(offers).map(([offerId, state]) => ({ offerId, status: state })) }) as Order;

const here = { a: 'AVAILABLE', b: 'AVAILABLE' };
const aConfirmed = { a: 'TAKEN', b: 'AVAILABLE' };
const aGone = { a: 'EXPIRED', b: 'AVAILABLE' };

test.each<[string, Record<string, Knowledge>, string, Record<string, string>, string[]]>([
  ['an order that has not moved on proves nothing', { a: open }, 'OFFERS_AVAILABLE', aConfirmed, []],
  ['OFFERS_APPROVED proves the only one, whatever its offer says', { a: open }, 'OFFERS_APPROVED', here, ['a']],
  ['also one that was answered 429', { a: throttled }, 'OFFERS_APPROVED', aGone, ['a']],
  ['of two the status of a confirmed offer tells', { a: throttled, b: open }, 'OFFERS_APPROVED', aConfirmed, ['a']],
  ['and where it does not, nobody knows', { a: throttled, b: open }, 'OFFERS_APPROVED', here, []],
  ['an open one whose offer is gone', { a: open, b: open }, 'OFFERS_APPROVED', aGone, ['a']],
  [
    'but not where another offer has the word',
    { a: open, b: done },
    'OFFERS_APPROVED',
    { a: 'EXPIRED', b: 'TAKEN' },
    [],
  ],
  ['but not one that was answered 429', { a: throttled, b: open }, 'OFFERS_APPROVED', aGone, []],
  ['beside a confirmed one its offer tells, too', { a: open, b: done }, 'OFFERS_APPROVED', here, []],
  ['a closed order proves it by the status of its offer', { a: throttled }, 'CLOSED', aConfirmed, ['a']],
  ['and not by that of one that is gone', { a: open }, 'CLOSED', aGone, []],
  ['nor by having no offers any more', { a: open }, 'CLOSED', {}, []],
  ['the bank may have closed it without a confirm', { a: throttled }, 'CLOSED', here, []],
  ['one that was never sent is not confirmed', { a: unsent }, 'CLOSED', aConfirmed, []],
])('%s', (_name, entries, status, offers, proven) => {
  const found = provenConfirms(decisionOf(entries), orderOf(status, offers), 'TAKEN');
  expect(found.map(({ offerId }) => offerId)).toEqual(proven);
});

test('what was sent is what was confirmed, whatever was decided since', () => {
  const choices = joinStates(
    [{ offerId: 'a', code: 'NEW' }],
    [{ item: 'operation#confirm#a', knowledge: throttled, intent: { offerId: 'a', code: 'SENT' } }],
  );
  expect(provenConfirms({ none: false, choices }, orderOf('CLOSED', aConfirmed), 'TAKEN')).toEqual([
    { offerId: 'a', code: 'SENT' },
  ]);
});
