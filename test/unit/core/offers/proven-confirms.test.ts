import { expect, test } from 'vitest';
import { type Knowledge, NONE, OPEN, UNLIKELY } from '../../../../core/ledger/knowledge.ts';
import { provenConfirms } from '../../../../core/offers/proven-confirms.ts';
import type { Order } from '../../../../core/order-service/order-service-client.ts';
import { joinStates } from '../../../../core/people/decision-states.ts';

const done: Knowledge = { state: 'done', outcome: {} };
const [unsent, throttled, open] = [NONE, UNLIKELY, OPEN];

const itemOf = (offerId: string) => `operation#confirm#${offerId}`;
const orderOf = (status: string, offers: Record<string, string>) =>
  ({ status, offers: Object.entries(offers).map(([offerId, state]) => ({ offerId, status: state })) }) as Order;

/** The offers that are proven to be confirmed, for a service that calls such an offer TAKEN. */
function proven(entries: Record<string, Knowledge>, status: string, offers: Record<string, string>): string[] {
  const choices = Object.keys(entries).map((offerId) => ({ offerId, code: 'X' }));
  const items = Object.entries(entries).map(([offerId, knowledge]) => ({ item: itemOf(offerId), knowledge }));
  const decision = { none: false, choices: joinStates(choices, items) };
  return provenConfirms(decision, orderOf(status, offers), 'TAKEN').map(({ offerId }) => offerId);
}

const here = { a: 'AVAILABLE', b: 'AVAILABLE' };
const aConfirmed = { a: 'TAKEN', b: 'AVAILABLE' };
const bConfirmed = { a: 'EXPIRED', b: 'TAKEN' };
const aGone = { a: 'EXPIRED', b: 'AVAILABLE' };

test.each<[string, Record<string, Knowledge>, Record<string, string>, string[]]>([
  ['proves the only confirm, whatever the status of its offer', { a: open }, here, ['a']],
  ['proves the only confirm even if it was answered 429', { a: throttled }, aGone, ['a']],
  ['proves one of two confirms by the status of its offer', { a: throttled, b: open }, aConfirmed, ['a']],
  ['leaves two confirms unknown if no offer is shown as confirmed', { a: throttled, b: open }, here, []],
  ['proves an open confirm by its offer that is gone', { a: open, b: open }, aGone, ['a']],
  ['proves nothing by an offer that is gone if another is confirmed', { a: open, b: done }, bConfirmed, []],
  ['does not prove by a gone offer a confirm that was answered 429', { a: throttled, b: open }, aGone, []],
  ['proves nothing by an AVAILABLE offer beside a confirm that is done', { a: open, b: done }, here, []],
])('OFFERS_APPROVED %s', (_what, entries, offers, expected) => {
  expect(proven(entries, 'OFFERS_APPROVED', offers)).toEqual(expected);
});

test.each<[string, Record<string, Knowledge>, Record<string, string>, string[]]>([
  ['proves a confirm by the status of its offer', { a: throttled }, aConfirmed, ['a']],
  ['proves nothing by an offer that is gone', { a: open }, aGone, []],
  ['proves nothing without offers', { a: open }, {}, []],
  ['proves nothing by an AVAILABLE offer', { a: throttled }, here, []],
  ['does not prove a confirm that was never sent', { a: unsent }, aConfirmed, []],
])('CLOSED %s', (_what, entries, offers, expected) => {
  expect(proven(entries, 'CLOSED', offers)).toEqual(expected);
});

test('OFFERS_AVAILABLE proves nothing', () => {
  expect(proven({ a: open }, 'OFFERS_AVAILABLE', aConfirmed)).toEqual([]);
});

test('the choice that was sent counts as confirmed, whatever was decided since', () => {
  const sent = { offerId: 'a', code: 'SENT' };
  const choices = joinStates([{ ...sent, code: 'NEW' }], [{ item: itemOf('a'), knowledge: throttled, intent: sent }]);
  expect(provenConfirms({ none: false, choices }, orderOf('CLOSED', aConfirmed), 'TAKEN')).toEqual([sent]);
});
