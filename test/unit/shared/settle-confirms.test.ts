import { expect, test } from 'vitest';
import { type Decision, joinStates } from '../../../functions/shared/choices.ts';
import type { OperationEntry } from '../../../functions/shared/ledger.ts';
import type { Order } from '../../../functions/shared/order-service-client.ts';
import { provenConfirms } from '../../../functions/shared/settle-confirms.ts';

type Entry = Pick<OperationEntry, 'state' | 'failure' | 'proven'>;

const done: Entry = { state: 'done' };
const open: Entry = { state: 'intended' };
const throttled: Entry = { state: 'not-done', failure: 'Throttled' };
const unsent: Entry = { state: 'not-done', failure: 'ServiceUnavailable', proven: true };
const refusedBefore: Entry = { state: 'not-done', failure: 'Rejected' };

function decisionOf(entries: Record<string, Entry>): Decision {
  const choices = Object.keys(entries).map((offerId) => ({ offerId, code: 'X' }));
  const items = Object.entries(entries).map(([offerId, entry]) => ({ item: `operation#confirm#${offerId}`, ...entry }));
  return { none: false, choices: joinStates(choices, items) };
}

const orderOf = (status: string, offers: Record<string, string>) =>
  ({ status, offers: Object.entries(offers).map(([offerId, state]) => ({ offerId, status: state })) }) as Order;

const here = { a: 'AVAILABLE', b: 'AVAILABLE' };
const aGone = { a: 'CONFIRMED', b: 'AVAILABLE' };

test.each<[string, Record<string, Entry>, string, Record<string, string>, string[]]>([
  ['an order that has not moved on proves nothing', { a: open }, 'OFFERS_AVAILABLE', aGone, []],
  ['OFFERS_APPROVED proves the only one, whatever its offer says', { a: open }, 'OFFERS_APPROVED', here, ['a']],
  ['also one that was answered 429', { a: throttled }, 'OFFERS_APPROVED', here, ['a']],
  ['of two the offer tells', { a: throttled, b: open }, 'OFFERS_APPROVED', aGone, ['a']],
  ['and where it does not, nobody knows', { a: throttled, b: open }, 'OFFERS_APPROVED', here, []],
  ['beside a confirmed one the offer tells, too', { a: done, b: open }, 'OFFERS_APPROVED', aGone, []],
  ['a closed order proves it by the offer', { a: throttled }, 'CLOSED', aGone, ['a']],
  ['and by having no offers any more', { a: open }, 'CLOSED', {}, ['a']],
  ['the bank may have closed it without a confirm: its offer is AVAILABLE', { a: throttled }, 'CLOSED', here, []],
  ['the same of one whose answer was lost', { a: open }, 'CLOSED', here, []],
  ['one that was never sent is not confirmed', { a: unsent }, 'CLOSED', aGone, []],
  ['nor is one that was refused, in an older entry', { a: refusedBefore }, 'CLOSED', aGone, []],
])('%s', (_name, entries, status, offers, proven) => {
  const found = provenConfirms(decisionOf(entries), orderOf(status, offers));
  expect(found.map(({ offerId }) => offerId)).toEqual(proven);
});
