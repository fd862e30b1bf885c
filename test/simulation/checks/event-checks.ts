import type { OrderItem } from '../../../core/order/order-item.ts';
import type { TimelineLine } from '../../../core/order/timeline-chain.ts';
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
  const shown = statusesInTimeline(items, record.timelineHead);
  return [
    ...lost.map((sequence) => `its event ${sequence} of ${eventCount} was lost`),
    ...(came.size > eventCount ? [`others were told ${came.size} events of ${eventCount}`] : []),
    ...(unsent.length > 0 ? [`its events ${unsent.join(', ')} were never sent`] : []),
    ...(ends === (waitingFor === 'nobody' ? 1 : 0)
      ? []
      : [`its end was told ${ends} times; it waits for ${waitingFor}`]),
    ...(statuses.join() === shown.join() ? [] : [`others were told ${statuses}, but its timeline shows ${shown}`]),
  ];
}

/** The statuses of the lines that are chained, oldest first. A line whose step was interrupted is beside the chain. */
function statusesInTimeline(items: OrderItems, head: string | undefined): string[] {
  const lines = items as unknown as (TimelineLine & { what: string })[];
  const byHash = new Map(lines.map((line) => [line.hash, line]));
  const statuses: string[] = [];
  for (let hash = head; hash; ) {
    const line = byHash.get(hash);
    statuses.unshift(line?.what.replace('Status ', '') ?? 'a line that is missing');
    hash = line?.before as string | undefined;
  }
  return statuses;
}
