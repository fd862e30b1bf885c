/** What a Task's `Resource` asks for. */
export interface TaskResource {
  /** `lambda`, `states`, `dynamodb`, `events`, `sqs`; `function` for a Lambda function's own ARN. */
  service: string;
  /** `invoke`, `startExecution`, …; empty for a Lambda function's own ARN. */
  action: string;
  waitsForToken: boolean;
}

/** The integrations that are played, each with whether it can wait for a task token. */
const SUPPORTED: Record<string, boolean> = {
  'lambda:invoke': true,
  'states:startExecution': false,
  'dynamodb:getItem': false,
  'dynamodb:putItem': false,
  'dynamodb:updateItem': false,
  'dynamodb:deleteItem': false,
  'events:putEvents': true,
  'sqs:sendMessage': true,
};

/** Undefined for a resource that is not played. */
export function parseTaskResource(resource: string): TaskResource | undefined {
  if (/^arn:aws:lambda:[^:]*:[^:]*:function:/.test(resource)) {
    return { service: 'function', action: '', waitsForToken: false };
  }
  const [, service = '', action = '', suffix] = /^arn:aws:states:[^:]*:[^:]*:(\w+):(\w+)(\.\S+)?$/.exec(resource) ?? [];
  const canWait = SUPPORTED[`${service}:${action}`];
  if (canWait === undefined) return undefined;
  if (suffix === undefined) return { service, action, waitsForToken: false };
  return suffix === '.waitForTaskToken' && canWait ? { service, action, waitsForToken: true } : undefined;
}
