import { valueAt } from '../../core/order/labels.ts';
import type { ListedView } from '../list.ts';

/** Milliseconds in which a second order of the same company and sum may be the same loan. */
export const ALIKE_WITHIN = 14 * 86_400_000;

export type KnownOrder = Pick<ListedView, 'orderRef' | 'createdAt'> & Partial<Record<'company' | 'amount', unknown>>;

/** The company and the sum of an order.json that was checked, as the stage's labels name them; undefined without both. */
export function loanIn(orderJson: Uint8Array, { company = '/', amount = '/' }: Readonly<Record<string, string>>) {
  const { order } = JSON.parse(new TextDecoder().decode(orderJson)) as { order: unknown };
  const loan = { company: valueAt(order, company), amount: valueAt(order, amount) };
  return Object.values(loan).every((value) => value !== '' && /string|number/.test(typeof value)) ? loan : undefined;
}

export type Loan = ReturnType<typeof loanIn>;

/** The references of orders of this company and sum that were submitted since: one of them may be the same loan. */
export function alikeOrders(orders: Iterable<KnownOrder>, loan: Loan, since: number): string[] {
  const alike = ({ company, amount, createdAt = '' }: KnownOrder) =>
    company === loan?.company && amount === loan?.amount && Date.parse(createdAt) > since;
  return loan ? [...orders].filter(alike).map(({ orderRef }) => orderRef) : [];
}
