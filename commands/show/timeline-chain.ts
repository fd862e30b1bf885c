import { type ChainCheck, checkChain } from '../../core/order/timeline-chain.ts';
import type { OrderDetails } from '../stage/record.ts';

/** Whether the chain of the timeline is whole, in a sentence. Lines are counted from 1. */
export function chainLine(details: Pick<OrderDetails, 'order' | 'timeline'>): string {
  if (details.order.removal?.record) return 'The timeline was reduced with the record.';
  const { chained, from, changed, missingBefore, removed } = check(details);
  const count = details.timeline.length;
  if (changed.length > 0) return `The chain is BROKEN: line ${changed.map((at) => at + 1).join(', ')} was changed.`;
  if (missingBefore !== undefined) {
    const where = missingBefore === count ? 'at the end' : `before line ${missingBefore + 1}`;
    return `The chain is BROKEN: a line ${where} was removed.`;
  }
  if (removed.length > 0) return `The chain is BROKEN: the line of ${removed.join(', ')} was removed.`;
  if (from === undefined) return 'The timeline has no chain: no line of it has a hash.';
  return `The chain is whole: ${chained} of ${count} lines are chained, from line ${from + 1} on.`;
}

/** The same for scripts. Undefined if the record was reduced, and the lines with it. */
export function chainFacts(details: Pick<OrderDetails, 'order' | 'timeline'>) {
  if (details.order.removal?.record) return undefined;
  const { chained, from, changed, missingBefore, removed } = check(details);
  return {
    isWhole: changed.length === 0 && missingBefore === undefined && removed.length === 0,
    chained,
    fromLine: from === undefined ? undefined : from + 1,
    changedLines: changed.map((at) => at + 1),
    removedBeforeLine: missingBefore === undefined ? undefined : missingBefore + 1,
    removedLinesOf: removed,
  };
}

function check({ order, timeline }: Pick<OrderDetails, 'order' | 'timeline'>): ChainCheck {
  return checkChain(timeline, order.timelineHead);
}
