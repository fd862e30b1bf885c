import type { JsonObject } from '../protocol/json.ts';
import type { Execution } from './execution.ts';
import type { HistoryEvent } from './history.ts';
import { page } from './paging.ts';

/** `{maxResults?, nextToken?, reverseOrder?, includeExecutionData?}` of GetExecutionHistory. */
export function executionHistory({ history }: Execution, input: JsonObject): object {
  const ordered = input.reverseOrder === true ? history.events.toReversed() : history.events;
  const events = input.includeExecutionData === false ? ordered.map(withoutData) : ordered;
  return page('events', events, input);
}

const DATA = ['input', 'output', 'parameters', 'inputDetails', 'outputDetails'];

/** The event without what passes through the execution. */
export function withoutData(event: HistoryEvent): object {
  const members = Object.entries(event).map(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [name, value];
    return [name, Object.fromEntries(Object.entries(value).filter(([key]) => !DATA.includes(key)))];
  });
  return Object.fromEntries(members);
}
