import type { OrderItem } from '../../../core/order/order-item.ts';
import { checkChain, type TimelineLine } from '../../../core/order/timeline-chain.ts';
import type { OrderItems } from './evidence.ts';

/** What the chain of the timeline shows at the end. Nobody has changed a line, so any fault is one of ours. */
export function timelineProblems(items: OrderItems): string[] {
  const record = items.find(({ item }) => item === 'order') as unknown as OrderItem | undefined;
  const lines = items.filter(({ item }) => item.startsWith('event#')) as unknown as TimelineLine[];
  const { changed, missingBefore, removed } = checkChain(lines, record?.timelineHead);
  return [
    ...changed.map((at) => `line ${at + 1} of its timeline is not as it was written`),
    ...removed.map((at) => `the line of ${at} is gone from its timeline`),
    ...(missingBefore === undefined ? [] : [`its timeline has lost a chained line before line ${missingBefore + 1}`]),
  ];
}
