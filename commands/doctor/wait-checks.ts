import type { Whose } from '../../core/order/read-delay.ts';
import { LONGEST_SLEEP_SECONDS, secondsUntil } from '../../core/time.ts';
import { some, time } from '../shared/text.ts';
import { ok, problem, type Verdict } from './finding.ts';

/** A wait of an order, or of all orders for a token (`Retry-After` of the authorization service). */
export interface HeldOrder {
  orderRef: string;
  until: string;
  whose: Whose | 'token';
}

/** Whose waits hold orders. A long one is a problem; a `pollAfterSeconds` is long above `longSeconds`. */
export function waitsVerdict(waits: HeldOrder[], longSeconds = 86_400): Verdict {
  const isLong = ({ whose, until }: HeldOrder) =>
    secondsUntil(until) > (whose === 'pollAfterSeconds' ? longSeconds : LONGEST_SLEEP_SECONDS);
  const longestFirst = waits.toSorted((one, other) => other.until.localeCompare(one.until));
  const lines = [...new Set(waits.map(({ whose }) => whose))].map((whose) => {
    const [longest, ...others] = longestFirst.filter((wait) => wait.whose === whose);
    const more = others.length > 0 ? ` and ${some(others.length, 'other')}` : '';
    return `Because of ${whose}: ${longest?.orderRef}${more}, until ${time(longest?.until)}.`;
  });
  const message = lines.join(' ') || 'No order waits because a service asked for that.';
  return waits.some(isLong)
    ? problem(`${message} See docs/operations.md#a-wait-that-a-service-asked-for.`)
    : ok(message);
}
