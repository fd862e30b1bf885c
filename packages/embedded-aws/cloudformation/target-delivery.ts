import { callWebhook } from '../events/webhook.ts';
import type { SendToQueue } from '../lambda/async-invocation.ts';
import type { Json, JsonObject } from '../protocol/operation.ts';
import { objectProperty, type Resource, unsupported } from './properties.ts';

const EVENT_BRIDGE = 'events.amazonaws.com';

/**
 * Returns a function that delivers input to a Lambda function, state machine, queue, webhook or topic. It rejects if the target refuses the
 * input. With `ruleArn`, the policy of a queue or topic must allow the rule to send. Schedules have no `ruleArn`, because they send with
 * their role. Throws an UnsupportedError for any other target.
 */
export function createDelivery(
  resource: Resource,
  targetArn: string,
  ruleArn?: string,
): (input: Json) => Promise<void> {
  const { services } = resource;
  const [, , service, , , , feature] = targetArn.split(':');
  if (service === 'lambda') return async (input) => services.lambda.invokeAsync(targetArn, JSON.stringify(input));
  if (service === 'states' && feature !== undefined) {
    return async (input) => {
      services.stepFunctions.startExecution({ stateMachineArn: targetArn, input: JSON.stringify(input) });
    };
  }
  const webhook = services.bus.webhooks.get(targetArn);
  if (webhook) return (input) => callWebhook(webhook, input);
  if (service === 'sns' && ruleArn !== undefined) {
    return async (input) => {
      const text = typeof input === 'string' ? input : JSON.stringify(input);
      services.encryptionKeys.checkSender(EVENT_BRIDGE, targetArn);
      services.topics.publishFor(EVENT_BRIDGE, ruleArn, targetArn, text);
    };
  }
  if (service !== 'sqs') throw unsupported(resource, `has the target ${targetArn}, which is not supported.`);
  const send = queueSender(resource, targetArn, ruleArn);
  return async (input) => send(JSON.stringify(input));
}

/** Returns a function that logs that a target refused its input, and sends a dead letter if the target has a dead-letter queue. */
export function createRefusal(
  resource: Resource,
  target: JsonObject,
  source: 'RULE_ARN' | 'SCHEDULE_ARN',
  sourceArn: string,
): (input: string, error: Error) => void {
  const { Arn: deadLetterArn } = objectProperty(target, 'DeadLetterConfig');
  const send =
    deadLetterArn === undefined
      ? undefined
      : queueSender(resource, deadLetterArn, source === 'RULE_ARN' ? sourceArn : undefined);
  return (input, error) => {
    const log = { functionName: sourceArn, requestId: sourceArn, stream: 'stderr' } as const;
    resource.services.log.add({ ...log, line: `${String(target.Arn)} refused its input: ${error.message}` });
    const facts = {
      [source]: sourceArn,
      TARGET_ARN: String(target.Arn),
      ERROR_CODE: error.name,
      ERROR_MESSAGE: error.message,
    };
    const attributes = Object.entries(facts).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]);
    try {
      send?.(input, Object.fromEntries(attributes));
    } catch (refused) {
      resource.services.log.add({ ...log, line: `The dead letter was not sent: ${(refused as Error).message}` });
    }
  };
}

/**
 * Returns a function that sends to the queue with this ARN. With `ruleArn` it sends for that rule, and throws an AwsError if the policy of
 * the queue or of its key does not allow that. Throws an UnsupportedError if the stacks have no such queue.
 */
export function queueSender(resource: Resource, target: Json, ruleArn?: string): SendToQueue {
  const { services } = resource;
  const queue = services.sqs.byArn(String(target));
  if (!queue) throw unsupported(resource, `sends to ${String(target)}, which is not a queue of these stacks.`);
  if (ruleArn === undefined) return (body, attributes) => void queue.send(body, attributes);
  return (body, attributes) => {
    services.encryptionKeys.checkSender(EVENT_BRIDGE, queue.arn);
    services.sqs.sendFor(EVENT_BRIDGE, ruleArn, queue, body, attributes);
  };
}
