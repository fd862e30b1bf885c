import type { Json } from '../protocol/json.ts';
import { text, withOutput } from './history.ts';
import { parseTaskResource } from './task-resource.ts';

/** An event of a Task for the history. */
export interface TaskEvent {
  type: string;
  details: object;
}

/** `outcome` is what the event says, in the type's name and in the name of its details. */
function taskEvent(outcome: string, resource: string, more: object = {}): TaskEvent {
  const parsed = parseTaskResource(resource);
  const suffix = parsed?.waitsForToken ? '.waitForTaskToken' : '';
  const details = { resourceType: parsed?.service ?? '', resource: `${parsed?.action}${suffix}`, ...more };
  return { type: `Task${outcome}`, details: { [`task${outcome}EventDetails`]: details } };
}

export function taskScheduled(
  resource: string,
  parameters: Json,
  region: string,
  timeout: number | undefined,
): TaskEvent {
  const timeoutInSeconds = timeout === undefined ? {} : { timeoutInSeconds: timeout };
  return taskEvent('Scheduled', resource, { region, parameters: text(parameters), ...timeoutInSeconds });
}

export const taskStarted = (resource: string) => taskEvent('Started', resource);

/** The service has accepted the request, and the Task waits for its token. */
export const taskSubmitted = (resource: string, output: Json) =>
  taskEvent('Submitted', resource, withOutput(text(output)));

export const taskSucceeded = (resource: string, output: Json) =>
  taskEvent('Succeeded', resource, withOutput(text(output)));

export function taskFailure(resource: string, error: string, cause: string): TaskEvent {
  return taskEvent(error === 'States.Timeout' ? 'TimedOut' : 'Failed', resource, { error, ...(cause && { cause }) });
}
