import { isDeepStrictEqual } from 'node:util';
import type { PageName } from '../events/outbox.ts';
import type { OrderItem } from './order-item.ts';

/** What of the record makes each page change. A page may show more, which appears with its next change. */
const FACTS: Record<PageName, readonly (keyof OrderItem)[]> = {
  'status.json': ['status', 'waitingFor', 'failure'],
};

export const PAGES = Object.keys(FACTS) as PageName[];

/** The pages that these changes of an order change. */
export function changedPages(
  before: OrderItem,
  changes: { [Name in keyof OrderItem]?: OrderItem[Name] | undefined },
): PageName[] {
  const after = { ...before, ...changes };
  return PAGES.filter((page) => FACTS[page].some((name) => !isDeepStrictEqual(before[name], after[name])));
}
