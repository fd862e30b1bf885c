import { expect, test } from 'vitest';
import { type Knowledge, NONE, OPEN, UNLIKELY } from '../../../../core/ledger/knowledge.ts';
import { provenConfirms } from '../../../../core/offers/settle-confirms.ts';
import { type Decision, joinStates } from '../../../../core/order/choices.ts';
import type { Order } from '../../../../core/order-service/order-service-client.ts';

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
  ['OFFERS_AVAILABLE proves nothing', { a: open }, 'OFFERS_AVAILABLE', aConfirmed, []],
  [
    'OFFERS_APPROVED proves the only confirm, whatever the status of its offer',
    { a: open },
    'OFFERS_APPROVED',
    here,
    ['a'],
  ],
  [
    'OFFERS_APPROVED proves the only confirm even if it was answered 429',
    { a: throttled },
    'OFFERS_APPROVED',
    aGone,
    ['a'],
  ],
  [
    'the status of a confirmed offer proves one of two confirms',
    { a: throttled, b: open },
    'OFFERS_APPROVED',
    aConfirmed,
    ['a'],
  ],
  [
    'two confirms stay unknown if no offer is shown as confirmed',
    { a: throttled, b: open },
    'OFFERS_APPROVED',
    here,
    [],
  ],
  ['an offer that is gone proves its open confirm', { a: open, b: open }, 'OFFERS_APPROVED', aGone, ['a']],
  [
    'an offer that is gone proves nothing if another offer is shown as confirmed',
    { a: open, b: done },
    'OFFERS_APPROVED',
    { a: 'EXPIRED', b: 'TAKEN' },
    [],
  ],
  [
    'an offer that is gone does not prove a confirm that was answered 429',
    { a: throttled, b: open },
    'OFFERS_APPROVED',
    aGone,
    [],
  ],
  [
    'an AVAILABLE offer proves nothing for a confirm beside one that is done',
    { a: open, b: done },
    'OFFERS_APPROVED',
    here,
    [],
  ],
  [
    'the status of a confirmed offer of a CLOSED order proves its confirm',
    { a: throttled },
    'CLOSED',
    aConfirmed,
    ['a'],
  ],
  ['an offer of a CLOSED order that is gone proves nothing', { a: open }, 'CLOSED', aGone, []],
  ['a CLOSED order without offers proves nothing', { a: open }, 'CLOSED', {}, []],
  ['an AVAILABLE offer of a CLOSED order proves nothing', { a: throttled }, 'CLOSED', here, []],
  ['a confirmed offer does not prove a confirm that was never sent', { a: unsent }, 'CLOSED', aConfirmed, []],
])('%s', (_name, entries, status, offers, proven) => {
  const found = provenConfirms(decisionOf(entries), orderOf(status, offers), 'TAKEN');
  expect(found.map(({ offerId }) => offerId)).toEqual(proven);
});

test('the choice that was sent counts as confirmed, whatever was decided since', () => {
  const choices = joinStates(
    [{ offerId: 'a', code: 'NEW' }],
    [{ item: 'operation#confirm#a', knowledge: throttled, intent: { offerId: 'a', code: 'SENT' } }],
  );
  expect(provenConfirms({ none: false, choices }, orderOf('CLOSED', aConfirmed), 'TAKEN')).toEqual([
    { offerId: 'a', code: 'SENT' },
  ]);
});
