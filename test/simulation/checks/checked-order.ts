import type { RecordedCall, SimulatedOrder } from '@business-loan-orders/order-simulator';
import { type LedgerEntry, readEntry, type StoredEntry } from '../../../core/ledger/entry.ts';
import { withReport } from '../../../core/order/operators-word.ts';
import type { OrderItem } from '../../../core/order/order-item.ts';
import type { StatusPage } from '../../../core/staging/pages.ts';
import type { PartnerActs } from '../people/uploads.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { RecordHistory } from './witness.ts';

export type OrderItems = ({ orderRef: string; item: string } & Record<string, unknown>)[];

export interface ChoicesPage {
  choices: { offerId: string; code: string; state: string }[];
}

export interface CheckedOrder {
  plan: OrderPlan;
  acts: PartnerActs;
  /** The start times of an operator's retries, in virtual milliseconds. */
  retries: readonly number[];
  /** When an operator dismissed it, in virtual milliseconds. */
  over: number | undefined;
  /** Violations that were seen during the run. */
  seen: readonly string[];
  history: RecordHistory;
  /** Every order that the service has under this orderRef. */
  orders: SimulatedOrder[];
  items: OrderItems;
  running: boolean;
  rejected: boolean;
  /** Its `choices.json` and `status.json` in staging. */
  choicesPage: ChoicesPage | undefined;
  statusPage: StatusPage | undefined;
  confirmedStatus: string;
  /** The certificate of the KMS key, DER. */
  kmsCertificate: Buffer;
  calls: readonly RecordedCall[];
}

export function recordOf({ items }: CheckedOrder): OrderItem | undefined {
  return items.find(({ item }) => item === 'order') as unknown as OrderItem | undefined;
}

export function ledgerOf({ items }: CheckedOrder): Map<string, LedgerEntry> {
  const entries = items.filter(({ item }) => item.startsWith('operation#')) as unknown as StoredEntry[];
  return new Map(entries.map((entry) => [entry.item.slice('operation#'.length), readEntry(withReport(entry))]));
}

/** Whether the service has left this status. It leaves one only after it has everything that it asked for. */
export function hasLeft({ progress }: SimulatedOrder, status: string): boolean {
  const statuses = progress.history.map((change) => change.status as string);
  return statuses.includes(status) && statuses.at(-1) !== status;
}
