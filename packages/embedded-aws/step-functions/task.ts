import type { Json, JsonObject } from '../protocol/operation.ts';

/** Performs the call of a Task. Rejects with a TaskError. */
export type Integration = (parameters: Json) => Promise<Json>;

export interface TaskResource {
  service: 'lambda' | 'states' | 'sqs';
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

export function parseTaskResource(resource: Json | undefined): TaskResource | undefined {
  const parts = /^arn:aws:states:[^:]*:[^:]*:(\w+):(\w+)(\.\S+)?$/.exec(String(resource)) ?? [];
  const [, service, action = '', suffix] = parts as [string?, TaskResource['service']?, string?, string?];
  const canWait = SUPPORTED[`${service}:${action}`];
  if (canWait === undefined || service === undefined) return undefined;
  if (suffix === undefined) return { service, action, waitsForToken: false };
  return suffix === '.waitForTaskToken' && canWait ? { service, action, waitsForToken: true } : undefined;
}

type TaskOutcome = 'Scheduled' | 'Started' | 'Submitted' | 'Succeeded' | 'TimedOut' | 'Failed';

/** The type and details of a history event. `Submitted`: the service has accepted the request, and the Task waits for its token. */
export function taskEvent(
  outcome: TaskOutcome,
  { service, action, waitsForToken }: TaskResource,
  more: object = {},
): [type: string, details: object] {
  const resource = waitsForToken ? `${action}.waitForTaskToken` : action;
  return [`Task${outcome}`, { [`task${outcome}EventDetails`]: { resourceType: service, resource, ...more } }];
}
