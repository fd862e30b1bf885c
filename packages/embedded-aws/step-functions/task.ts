import type { Json, JsonObject } from '../protocol/operation.ts';
import { jsonText, withOutput } from './history.ts';
import type { Integration } from './integrations.ts';

export interface TaskResource {
  service: string;
  action: string;
  waitsForToken: boolean;
}

export interface Task extends TaskResource {
  name: string;
  state: JsonObject;
  integration: Integration;
}

/** The supported integrations, and whether each can wait for a task token. */
const SUPPORTED: Record<string, boolean> = {
  'lambda:invoke': true,
  'states:startExecution': false,
  'sqs:sendMessage': true,
};

/** Returns undefined for an unsupported resource. */
export function parseTaskResource(resource: Json | undefined): TaskResource | undefined {
  const parts = /^arn:aws:states:[^:]*:[^:]*:(\w+):(\w+)(\.\S+)?$/.exec(String(resource)) ?? [];
  const [, service = '', action = '', suffix] = parts;
  const canWait = SUPPORTED[`${service}:${action}`];
  if (canWait === undefined) return undefined;
  if (suffix === undefined) return { service, action, waitsForToken: false };
  return suffix === '.waitForTaskToken' && canWait ? { service, action, waitsForToken: true } : undefined;
}

export interface TaskEvent {
  type: string;
  details: object;
}

/** `outcome` is part of the event type and of the name of the details. */
function taskEvent(outcome: string, { service, action, waitsForToken }: TaskResource, more: object = {}): TaskEvent {
  const resource = waitsForToken ? `${action}.waitForTaskToken` : action;
  return {
    type: `Task${outcome}`,
    details: { [`task${outcome}EventDetails`]: { resourceType: service, resource, ...more } },
  };
}

export function taskScheduled(
  task: TaskResource,
  parameters: Json,
  region: string,
  timeout: number | undefined,
): TaskEvent {
  const timeoutInSeconds = timeout === undefined ? {} : { timeoutInSeconds: timeout };
  return taskEvent('Scheduled', task, { region, parameters: jsonText(parameters), ...timeoutInSeconds });
}

export const taskStarted = (task: TaskResource) => taskEvent('Started', task);

/** The service has accepted the request, and the Task waits for its token. */
export const taskSubmitted = (task: TaskResource, output: Json) =>
  taskEvent('Submitted', task, withOutput(jsonText(output)));

export const taskSucceeded = (task: TaskResource, output: Json) =>
  taskEvent('Succeeded', task, withOutput(jsonText(output)));

export function taskFailure(task: TaskResource, error: string, cause: string): TaskEvent {
  return taskEvent(error === 'States.Timeout' ? 'TimedOut' : 'Failed', task, { error, ...(cause && { cause }) });
}
