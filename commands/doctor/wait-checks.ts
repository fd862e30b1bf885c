import type { OrderItem } from '../../core/order/order-item.ts';
import { type Whose, waitOf } from '../../core/order/whose-wait.ts';
import { LONGEST_SLEEP_SECONDS, secondsUntil } from '../../core/time.ts';
import { some, time } from '../shared/text.ts';
import { ok, problem, type Verdict } from './finding.ts';

const END = ' "loan-orders retry <ref> --now" ends it.';
const ASK = ' Ask the service why. "loan-orders retry <ref> --now" ends it, after a question.';

const KINDS: [whose: Whose, words: string, advice: string][] = [
  ['Retry-After', 'as long as the order service asked (Retry-After)', END],
  ['pollAfterSeconds', 'as long as the order service asked (pollAfterSeconds)', ASK],
  ['outage', 'after an outage, which is our own wait', ''],
];

/**
 * Whose waits hold the orders. A long one is a problem.
 * @param tokenUntil until when the authorization service lets nobody request a token.
 * @param longSeconds up to this, a `pollAfterSeconds` is usual.
 */
export function waitsVerdict(orders: OrderItem[], tokenUntil: string | undefined, longSeconds = 86_400): Verdict {
  const isLong = (until: string, usual = LONGEST_SLEEP_SECONDS) => secondsUntil(until) > usual;
  const held = KINDS.flatMap(([whose, words, advice]) => {
    const all = orders.flatMap((order) => {
      const wait = waitOf(order);
      return wait?.whose === whose ? [{ ...wait, orderRef: order.orderRef }] : [];
    });
    const [longest] = all.sort((one, other) => other.until.localeCompare(one.until));
    if (!longest) return [];
    const { orderRef, until } = longest;
    const tooLong = isLong(until, whose === 'pollAfterSeconds' ? longSeconds : undefined);
    const waits = `${some(all.length, 'order')} ${all.length === 1 ? 'waits' : 'wait'} ${words}`;
    return [{ tooLong, line: `${waits}, ${orderRef} until ${time(until)}.${tooLong ? advice : ''}` }];
  });
  if (tokenUntil !== undefined) {
    const tooLong = isLong(tokenUntil);
    const line = `The authorization service asked for no token request before ${time(tokenUntil)}.${tooLong ? END : ''}`;
    held.unshift({ tooLong, line });
  }
  const message = held.map(({ line }) => line).join(' ') || 'No order waits because a service asked for that.';
  return held.some(({ tooLong }) => tooLong) ? problem(message) : ok(message);
}
