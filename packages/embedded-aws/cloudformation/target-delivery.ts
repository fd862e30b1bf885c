import { callWebhook } from '../events/webhook.ts';
import type { SendToQueue } from '../lambda/async-invocation.ts';
import type { Json } from '../protocol/json.ts';
import type { Queue } from '../sqs/queue.ts';
import { type Resource, unsupported } from './properties.ts';

const EVENT_BRIDGE = 'events.amazonaws.com';

/**
 * A function that delivers the input of a rule or schedule to a Lambda function, a state machine, a queue, a webhook or a topic. It rejects when the
 * target does not accept the input. `ruleArn` is the rule that sends to a queue or a topic, whose policy must allow it; a schedule sends with
 * the rights of its role. Throws an UnsupportedError for any other target.
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
  const queue = service === 'sqs' ? services.sqs.byArn(targetArn) : undefined;
  if (!queue) throw unsupported(resource, `has the target ${targetArn}, which is not supported.`);
  if (ruleArn === undefined) return async (input) => void queue.send(JSON.stringify(input));
  const send = senderOfRule(resource, ruleArn, queue);
  return async (input) => send(JSON.stringify(input));
}

/** Sends to a queue in the name of a rule. Throws an AwsError if the policy of the queue or of its key does not allow it. */
export function senderOfRule({ services }: Resource, ruleArn: string, queue: Queue): SendToQueue {
  return (body, attributes) => {
    services.encryptionKeys.checkSender(EVENT_BRIDGE, queue.arn);
    services.sqs.sendFor(EVENT_BRIDGE, ruleArn, queue, body, attributes);
  };
}
