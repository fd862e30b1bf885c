import { type LedgerEntry, readEntry, type StoredEntry } from '../../../functions/shared/ledger/entry.ts';
import type { OrderItem } from '../../../functions/shared/order/order-item.ts';
import type { RecordedCall, SimulatedOrder } from '../../../simulator/index.ts';
import type { PartnerActs } from '../people/partner.ts';
import type { OrderPlan } from '../plan/order-plan.ts';

export type OrderItems = ({ orderRef: string; item: string } & Record<string, unknown>)[];

/** What is known of one order when everything has come to rest, on both sides. */
export interface Evidence {
  plan: OrderPlan;
  acts: PartnerActs;
  /** When an operator's retries began, in virtual milliseconds. */
  retries: readonly number[];
  /** What was seen to be wrong while it was under way. */
  seen: readonly string[];
  /** Every order that the service has under our reference. */
  orders: SimulatedOrder[];
  /** Our record of it. */
  items: OrderItems;
  /** Whether an execution of it is still running. */
  running: boolean;
  /** Whether its package was answered with `rejected.json`. */
  rejected: boolean;
  /** The order's calls at the service. */
  calls: readonly RecordedCall[];
}

export function recordOf({ items }: Evidence): OrderItem | undefined {
  return items.find(({ item }) => item === 'order') as unknown as OrderItem | undefined;
}

/** The operations of our ledger, by their names without the prefix. */
export function ledgerOf({ items }: Evidence): Map<string, LedgerEntry> {
  const entries = items.filter(({ item }) => item.startsWith('operation#')) as unknown as StoredEntry[];
  return new Map(entries.map((entry) => [entry.item.slice('operation#'.length), readEntry(entry)]));
}
