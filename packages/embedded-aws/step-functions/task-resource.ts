/** The parts of a Task's `Resource`. */
export interface TaskResource {
  /** `lambda`, `states` or `sqs`. */
  service: string;
  /** `invoke`, `startExecution`, … */
  action: string;
  waitsForToken: boolean;
}

/** The supported integrations, and whether each can wait for a task token. */
const SUPPORTED: Record<string, boolean> = {
  'lambda:invoke': true,
  'states:startExecution': false,
  'sqs:sendMessage': true,
};

/** Undefined for a resource that is not supported. */
export function parseTaskResource(resource: string): TaskResource | undefined {
  const [, service = '', action = '', suffix] = /^arn:aws:states:[^:]*:[^:]*:(\w+):(\w+)(\.\S+)?$/.exec(resource) ?? [];
  const canWait = SUPPORTED[`${service}:${action}`];
  if (canWait === undefined) return undefined;
  if (suffix === undefined) return { service, action, waitsForToken: false };
  return suffix === '.waitForTaskToken' && canWait ? { service, action, waitsForToken: true } : undefined;
}
