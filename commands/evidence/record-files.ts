import type { Execution } from '../stage/executions.ts';
import type { OrderDetails } from '../stage/record.ts';
import { chainStart, type Linked, linked } from './hash-chain.ts';
import { FORMAT, ORDER, TIMELINE } from './manifest.ts';

/** A line of the timeline in an archive. */
export interface TimelineLine {
  /** 1, 2, … */
  number: number;
  item: string;
  at: string;
  what: string;
  facts: Record<string, string | number>;
}

/** The hash that the chain of the timeline begins with. */
export function timelineStart(orderRef: string): string {
  return chainStart({ format: FORMAT, orderRef, of: 'timeline' });
}

/** The lines of the order's timeline, each with its hash in the chain. */
export function timelineLines({ order, timeline }: OrderDetails): Linked<TimelineLine>[] {
  const lines = timeline.map(({ orderRef: _orderRef, item, at, what, ...facts }, position) => ({
    number: position + 1,
    item,
    at,
    what,
    facts,
  }));
  return linked(timelineStart(order.orderRef), lines);
}

/** What the record says, as files of the archive. No task token and no access token is in it. */
export function recordFiles(
  details: OrderDetails,
  executions: Execution[],
): { path: string; what: string; text: string }[] {
  const { order, decision, operations, toSign } = details;
  const file = (path: string, what: string, value: unknown) => ({
    path,
    what,
    text: `${JSON.stringify(value, undefined, 2)}\n`,
  });
  return [
    file('record/executions.json', 'the runs that drove the order', executions),
    file('record/operations.json', 'what is known of each call that changes something', operations),
    file(ORDER, 'what the record says of the order', { ...order, choices: decision?.choices }),
    file(TIMELINE, 'the timeline', timelineLines(details)),
    file('record/to-sign.json', 'the documents to sign of all rounds', toSign),
  ];
}
