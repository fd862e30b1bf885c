import type { RecordedCall, SimulatedOrder } from '@business-loan-orders/order-simulator';
import { type LedgerEntry, readEntry, type StoredEntry } from '../../../core/ledger/entry.ts';
import { withReport } from '../../../core/order/operators-word.ts';
import type { OrderItem } from '../../../core/order/order-item.ts';
import type { StatusPage } from '../../../core/staging/pages.ts';
import type { PartnerActs } from '../people/uploads.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { RecordHistory } from './witness.ts';

export type OrderItems = ({ orderRef: string; item: string } & Record<string, unknown>)[];

/** The part of `choices.json` that the checks use. */
export interface ChoicesPage {
  choices: { offerId: string; code: string; state: string }[];
}

/** Everything known about one order after the run, from our side and from the service. */
export interface CheckedOrder {
  plan: OrderPlan;
  acts: PartnerActs;
  /** The start times of an operator's retries, in virtual milliseconds. */
  retries: readonly number[];
  /** When an operator dismissed it, in virtual milliseconds. */
  over: number | undefined;
  /** Violations that were seen during the run. */
  seen: readonly string[];
  /** What our record said during the run. */
  history: RecordHistory;
  /** Every order that the service has under this orderRef. */
  orders: SimulatedOrder[];
  /** All items of our record of the order. */
  items: OrderItems;
  /** Whether one of its executions is still running. */
  running: boolean;
  /** Whether its package was rejected. */
  rejected: boolean;
  /** Its `choices.json` and `status.json` in staging. */
  choicesPage: ChoicesPage | undefined;
  statusPage: StatusPage | undefined;
  /** The status of a confirmed offer at the service. */
  confirmedStatus: string;
  /** The certificate of the KMS key, DER. */
  kmsCertificate: Buffer;
  /** The order's calls at the service. */
  calls: readonly RecordedCall[];
}

export function recordOf({ items }: CheckedOrder): OrderItem | undefined {
  return items.find(({ item }) => item === 'order') as unknown as OrderItem | undefined;
}

/** The ledger entries of the order, by operation name. */
export function ledgerOf({ items }: CheckedOrder): Map<string, LedgerEntry> {
  const entries = items.filter(({ item }) => item.startsWith('operation#')) as unknown as StoredEntry[];
  return new Map(entries.map((entry) => [entry.item.slice('operation#'.length), readEntry(withReport(entry))]));
}

/** Whether the service has left this status. It leaves one only after it has everything that it asked for. */
export function hasLeft({ progress }: SimulatedOrder, status: string): boolean {
  const statuses = progress.history.map((change) => change.status as string);
  return statuses.includes(status) && statuses.at(-1) !== status;
}
