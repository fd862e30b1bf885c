import type { OrderItem } from '../../../core/order/order-item.ts';
import type { ToldEvent } from './event-witness.ts';
import type { OrderItems } from './evidence.ts';

/**
 * What is wrong with the events that others were told, compared with our record at the end. The witness has compared them with its
 * changes.
 * @param told each event once, in their sequence.
 */
export function eventProblems(items: OrderItems, told: readonly ToldEvent[]): string[] {
  const record = items.find(({ item }) => item === 'order') as unknown as OrderItem | undefined;
  if (!record) return told.length === 0 ? [] : [`others were told of it ${told.length} times, but it has no record`];
  const { eventCount = 0, unsentEvents = [], waitingFor } = record;
  const unsent = unsentEvents.map(({ detail }) => detail.sequence);
  const came = new Set(told.map(({ detail }) => detail.sequence));
  const missing = Array.from({ length: eventCount }, (_, position) => position + 1).filter((one) => !came.has(one));
  const lost = missing.filter((sequence) => !unsent.includes(sequence));
  const ends = told.filter(({ type }) => type === 'Order Ended').length;
  const statuses = told.flatMap(({ detail }) => (detail.previousStatus === undefined ? [] : [String(detail.status)]));
  const shown = statusesInTimeline(items);
  return [
    ...lost.map((sequence) => `its event ${sequence} of ${eventCount} was lost`),
    ...(came.size > eventCount ? [`others were told ${came.size} events of ${eventCount}`] : []),
    ...(unsent.length > 0 ? [`its events ${unsent.join(', ')} were never sent`] : []),
    ...(ends === (waitingFor === 'nobody' ? 1 : 0)
      ? []
      : [`its end was told ${ends} times; it waits for ${waitingFor}`]),
    ...(isContained(statuses, shown) ? [] : [`others were told ${statuses}, but its timeline shows ${shown}`]),
  ];
}

function statusesInTimeline(items: OrderItems): string[] {
  const lines = items.filter(({ item }) => item.startsWith('event#')).map(({ what }) => String(what));
  return lines.filter((what) => what.startsWith('Status ')).map((what) => what.replace('Status ', ''));
}

/** Whether the timeline has each status in its place. A step that was interrupted has left one that was never recorded. */
function isContained(statuses: readonly string[], shown: readonly string[]): boolean {
  let at = 0;
  for (const one of shown) if (one === statuses[at]) at += 1;
  return at === statuses.length;
}
