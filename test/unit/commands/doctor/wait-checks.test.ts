import { expect, test } from 'vitest';
import { waitsVerdict } from '../../../../commands/doctor/wait-checks.ts';
import type { NotBefore, OrderItem } from '../../../../core/order/order-item.ts';

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const order = (orderRef: string, notBefore: NotBefore) => ({ orderRef, notBefore }) as OrderItem;
const turnedAway = (hours: number, reason?: 'outage'): NotBefore => ({
  readAt: inHours(-1),
  throttled: { since: inHours(-1), generation: 1, backOffUntil: inHours(hours), ...(reason && { reason }) },
});

test.each<[string, 'ok' | 'problem', OrderItem[], number | undefined, RegExp]>([
  ['nobody', 'ok', [order('a', { readAt: inHours(-1) })], undefined, /^No order waits because a service asked/],
  ['the authorization service', 'problem', [], 16, /^The authorization service asked .*retry <ref> --now/],
  ['the authorization service, soon over', 'ok', [], 0.5, /^The authorization service asked/],
  [
    'a Retry-After',
    'problem',
    [order('a', turnedAway(2)), order('b', turnedAway(16))],
    undefined,
    /^2 .*Retry-After.*, b /,
  ],
  [
    'a Retry-After of a read',
    'problem',
    [order('a', { readAt: inHours(2), reason: 'Retry-After' })],
    undefined,
    /Retry-/,
  ],
  [
    'a pollAfterSeconds',
    'problem',
    [order('a', { readAt: inHours(30) })],
    undefined,
    /^1 .*pollAfterSeconds.*question/,
  ],
  ['a usual pollAfterSeconds', 'ok', [order('a', { readAt: inHours(20) })], undefined, /^1 .*pollAfterSeconds/],
  ['ourselves', 'ok', [order('a', turnedAway(0.9, 'outage'))], undefined, /^1 .*our own wait/],
])('orders that wait because of %s: %s', (_whose, state, orders, tokenHours, message) => {
  const verdict = waitsVerdict(orders, tokenHours === undefined ? undefined : inHours(tokenHours), 86_400);
  expect(verdict).toEqual({ state, message: expect.stringMatching(message) });
});
