import type { Labels } from '../../core/order/labels.ts';
import type { ListedView } from '../list.ts';

/** Milliseconds in which a second order of the same company and sum may be the same loan. */
export const ALIKE_WITHIN = 14 * 86_400_000;

type Known = Pick<ListedView, 'orderRef' | 'company' | 'amount' | 'createdAt'>;

/** The references of orders of this company and sum that were submitted since: one of them may be the same loan. */
export function alikeOrders(orders: Iterable<Known>, { company, amount }: Labels, since: number): string[] {
  if (company === undefined || amount === undefined) return [];
  const alike = (one: Known) =>
    one.company === company && one.amount === amount && Date.parse(one.createdAt ?? '') > since;
  return [...orders].filter(alike).map(({ orderRef }) => orderRef);
}
