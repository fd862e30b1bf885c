import type { LedgerEntry } from '../../core/ledger/entry.ts';
import type { Knowledge } from '../../core/ledger/knowledge.ts';
import type { Decision } from '../../core/order/decision-states.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { readDelayOf } from '../../core/order/read-delay.ts';
import type { StagedDocument } from '../../core/order/to-sign.ts';
import { type Execution, runningOf } from './executions.ts';
import { refusal } from './refusals.ts';
import { Refusal } from './text.ts';
import type { TimelineEntry } from './timeline.ts';

/** An order as the indexes list it. `createdAt` and what follows it are in `byList` alone, what drives the order in `byWaiting`. */
export type ListedOrder = Pick<
  OrderItem,
  | ('orderRef' | 'status' | 'waitingFor' | 'orderId' | 'generation' | 'changedAt' | 'failure' | 'statusSince')
  | ('release' | 'moveTo' | 'execution')
> &
  Partial<Pick<OrderItem, 'createdAt' | 'awaited' | 'due' | 'labels' | 'report' | 'resume'>>;

/** Since when the order waits as it does: since people were asked, else since it has its status. */
export const waitingSince = ({ awaited, statusSince }: Pick<ListedOrder, 'awaited' | 'statusSince'>) =>
  awaited?.since ?? statusSince;

/**
 * A ledger operation. `resolvedAt` is set when an operator recorded its outcome and no execution has continued since. `notAfter` is set if
 * the table was restored: the operation may have begun at any time from `intendedAt` to `notAfter`.
 */
export type OperationEntry = LedgerEntry & { orderRef: string; resolvedAt?: string; notAfter?: string };

/** The ledger's knowledge of an unconfirmed creation: unknown, or recorded by an operator. */
export type DoubtfulCreation = 'unknown' | 'by hand';

/** Everything that the table has about an order, as operators read it. */
export interface OrderDetails {
  order: OrderItem;
  /** Undefined before the first decision on the offers. */
  decision: Decision | undefined;
  /** Oldest first, like the timeline. */
  operations: OperationEntry[];
  timeline: TimelineEntry[];
  /** Stored reads (core/reading/kept-read.ts) without a timeline line. */
  reads: { at: string; read: string }[];
  /** Documents of all rounds, oldest round first. */
  toSign: StagedDocument[];
  /** The latest wait for a decision. It begins after a read, and the order is read again when it ends. */
  decisionWait: { since: string; until?: string } | undefined;
}

export const OPERATION_PREFIX = 'operation#';
export const CREATION = `${OPERATION_PREFIX}create`;

/** The ledger entry for the order's creation, or undefined before it has started. */
export function creationOf({ operations }: OrderDetails): OperationEntry | undefined {
  return operations.find(({ item }) => item === CREATION);
}

/** Whether it is unknown if the service has the order. */
export function isCreationUnknown(details: OrderDetails): boolean {
  return details.order.orderId === undefined && creationOf(details)?.knowledge.state === 'open';
}

/** Whether no execution may continue until an operator resolves that. The sweep goes on where the service remembers the creation. */
export const awaitsResolve = (details: OrderDetails) => isCreationUnknown(details) && !nextTryOf(details.order);

export const noOrder = (orderRef: string): Refusal => refusal('noOrderHere', { orderRef });

export function createdAs(creation: OperationEntry | undefined): string | undefined {
  return creation?.knowledge.state === 'done' ? (creation.knowledge.outcome.orderId as string) : undefined;
}

/** Whether an execution uses the creation's recorded `orderId`. One recorded later takes effect with a retry. */
export function isCreatedAs(knowledge: Knowledge, orderId: string | undefined): boolean {
  return orderId !== undefined && knowledge.state === 'done' && knowledge.outcome.orderId === orderId;
}

/** Another command or an execution changed the order between the read and the write. Nothing was written. */
export function changedMeanwhile(orderRef: string): Refusal {
  return new Refusal(
    `Order ${orderRef} changed while this command looked at it. Look again with "loan-orders show ${orderRef}".`,
  );
}

/** The state of an order that decides what people must do. */
export type Situation =
  /** An execution drives the order. */
  | 'running'
  | 'dismissed'
  /** It is unknown whether the service has the order. */
  | 'creation unknown'
  | 'over'
  /** An outage stopped the order; it continues automatically. */
  | 'outage'
  /** No execution drives the order. */
  | 'stopped';

export function situationOf(details: OrderDetails, executions: Execution[]): Situation {
  const { waitingFor, dismissed } = details.order;
  if (runningOf(executions)) return 'running';
  if (dismissed) return 'dismissed';
  if (awaitsResolve(details)) return 'creation unknown';
  if (waitingFor === 'nobody') return 'over';
  return nextTryOf(details.order) ? 'outage' : 'stopped';
}

/** When the sweep starts the order again after an outage. */
export function nextTryOf({ failure, resume }: Pick<OrderItem, 'failure' | 'resume'>): OrderItem['resume'] {
  return failure && resume;
}

/** The time before which the order must not be read or called, if it is in the future. */
export const nextReadOf = (order: OrderItem): string | undefined => readDelayOf(order)?.until;
