import { errorNames } from '../errors.ts';
import type { OrderChange } from '../events/order-event.ts';
import { isAsked, isFinal, type OrderItem } from './order-item.ts';

/** The events that a change of the record causes. They follow from the record before it, so a repeat causes none. */
export function announcedChanges(before: OrderItem, changes: Partial<OrderItem>): OrderChange[] {
  return [
    ...statusChanges(before, changes.status),
    ...requests(before, changes.awaited),
    ...reminders(before, changes),
  ];
}

function statusChanges({ status: previousStatus }: OrderItem, status: string | undefined): OrderChange[] {
  if (status === undefined || status === previousStatus) return [];
  const changed: OrderChange = { type: 'Order Status Changed', status, previousStatus };
  return isFinal(status) ? [changed, { type: 'Order Ended', end: status }] : [changed];
}

/** People are asked once for a decision, and again for signatures if the page with the documents has changed. */
function requests(before: OrderItem, awaited: OrderItem['awaited']): OrderChange[] {
  if (!awaited) return [];
  const { orderRef, rounds } = before;
  const { what, round, page } = awaited;
  const isKnown = isAsked(before, what, round);
  if (what === 'decision')
    return isKnown ? [] : [{ type: 'Decision Requested', page: `orders/${orderRef}/offers.json` }];
  if (isKnown && before.awaited?.page === page) return [];
  const documents = rounds?.signatures?.fileIds.length ?? 0;
  return [{ type: 'Signatures Requested', round, documents, page: `orders/${orderRef}/to-sign.json` }];
}

/** A late function does not change whom a failed order waits for, and reminds nobody. */
function reminders(before: OrderItem, { waitingFor, awaited, due, remindedFor }: Partial<OrderItem>): OrderChange[] {
  if (!waitingFor || !awaited || !due || !remindedFor || remindedFor === before.remindedFor) return [];
  return [{ type: 'Deadline Near', what: awaited.what, due }];
}

/** An execution of the order ended without success. Its end may be recorded several times. */
export function failed(
  before: OrderItem,
  end: Required<Pick<OrderItem, 'failure' | 'generation' | 'redrives'>> & Pick<OrderItem, 'resume'>,
): OrderChange[] {
  const { failure, generation, redrives, resume } = end;
  const isSame = before.generation === generation && (before.redrives ?? 0) === redrives;
  const isRecorded = before.failure !== undefined && isSame;
  // An order with a final status already had the event of its end.
  if (isRecorded || isFinal(before.status)) return [];
  return [
    {
      type: 'Order Failed',
      error: errorClass(failure.error),
      generation,
      waitingFor: resume ? 'service' : 'operator',
      ...(resume && { resumesAt: resume.at }),
    },
  ];
}

/** An execution claims an order that had failed. */
export const resumed = ({ failure }: OrderItem, generation: number, automatic: boolean): OrderChange[] =>
  failure ? [{ type: 'Order Resumed', generation, automatic, error: errorClass(failure.error) }] : [];

/** Names of ends that are not our own errors. */
const OTHER_ENDS = ['AbortedByOperator', 'ABORTED', 'TIMED_OUT'];
const KNOWN = new Set([...errorNames, ...OTHER_ENDS]);
const OF_AWS = /^(?:States|Lambda|Runtime|Sandbox)(?=\.)/;

/**
 * The class of an error as a dimension of metrics. Whoever stops an execution may write anything as its error, so only known names
 * are used. Errors of AWS count by their family.
 */
export const errorClass = (error: string): string => (KNOWN.has(error) ? error : (OF_AWS.exec(error)?.[0] ?? 'Other'));
