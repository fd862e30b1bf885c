import { valueAt } from '../../core/order/labels.ts';
import type { ListedView } from '../list.ts';

/** Milliseconds in which a second order of the same company and sum may be the same loan. */
export const ALIKE_WITHIN = 14 * 86_400_000;

type Known = Pick<ListedView, 'orderRef' | 'company' | 'amount' | 'createdAt'>;

/**
 * The references of orders of a package's company and sum that were submitted since: one of them may be the same loan.
 * @param orderJson an order.json that was checked.
 */
export function alikeOrders(
  orders: Iterable<Known>,
  orderJson: Uint8Array,
  { company = '/', amount = '/' }: Readonly<Record<string, string>>,
  since: number,
): string[] {
  const { order } = JSON.parse(new TextDecoder().decode(orderJson)) as { order: unknown };
  const [ofCompany, ofSum] = [valueAt(order, company), valueAt(order, amount)];
  if (ofCompany === undefined || ofSum === undefined) return [];
  const alike = (one: Known) =>
    one.company === ofCompany && one.amount === ofSum && Date.parse(one.createdAt ?? '') > since;
  return [...orders].filter(alike).map(({ orderRef }) => orderRef);
}
