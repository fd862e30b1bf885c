import { expect, test } from 'vitest';
import { type HeldOrder, waitsVerdict } from '../../../../commands/doctor/wait-checks.ts';

const held = (whose: HeldOrder['whose'], hours: number, orderRef = 'a'): HeldOrder => ({
  ...{ whose, orderRef, until: new Date(Date.now() + hours * 3_600_000).toISOString() },
});

test.each<['ok' | 'problem', HeldOrder[], RegExp]>([
  ['ok', [], /^No order waits because a service asked/],
  ['problem', [held('token', 16, 'all orders')], /^Because of token: all orders, until .*operations/],
  ['ok', [held('token', 0.5)], /^Because of token/],
  ['problem', [held('Retry-After', 2), held('Retry-After', 16, 'b')], /^Because of Retry-After: b and 1 other, until/],
  [
    'problem',
    [held('outage', 0.5), held('pollAfterSeconds', 30)],
    /^Because of outage: .* Because of pollAfterSeconds/,
  ],
  ['ok', [held('pollAfterSeconds', 20)], /^Because of pollAfterSeconds/],
])('%s: %j', (state, waits, message) => {
  expect(waitsVerdict(waits)).toEqual({ state, message: expect.stringMatching(message) });
});
