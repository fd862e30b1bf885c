import { isDeepStrictEqual } from 'node:util';
import type { OrderItem } from '../../../core/order/order-item.ts';
import type { StatusPage } from '../../../core/people/pages.ts';
import type { OrderItems } from './evidence.ts';

/** In the end, `status.json` says what the record says. */
export function statusPageProblems(items: OrderItems, page: StatusPage | undefined): string[] {
  const record = items.find(({ item }) => item === 'order') as unknown as OrderItem | undefined;
  if (!record || record.removal) return [];
  if (!page) return ['it has no status.json'];
  const isSame = (['status', 'waitingFor', 'failure'] as const).every((name) =>
    isDeepStrictEqual(page[name], record[name]),
  );
  return isSame ? [] : [`status.json says ${page.status}, waiting for ${page.waitingFor}, but it is ${record.status}`];
}
