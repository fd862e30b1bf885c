import { arn } from '../account.ts';
import { DEFAULT_BUS, type RuleTarget } from '../events/bus.ts';
import { compileInput } from '../events/input.ts';
import { compilePattern } from '../events/pattern.ts';
import { compileSendPolicy } from '../events/send-policy.ts';
import { nameOfBus } from '../events/service.ts';
import type { Webhook } from '../events/webhook.ts';
import type { SendToQueue } from '../lambda/async-invocation.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { checkTarget, listProperty, objectProperty, type Resource, unsupported } from './properties.ts';
import type { ProvisionedResource } from './stack.ts';
import { createDelivery, senderOfRule } from './target-delivery.ts';

/** A bus of the account's own. A policy or an archive has no effect on a laptop. */
export function createEventBus(resource: Resource): ProvisionedResource {
  const { account, services, name } = resource;
  services.bus.addBus(name);
  return { ref: name, attributes: { Arn: arn(account, 'events', `event-bus/${name}`), Name: name } };
}

export function createRule(resource: Resource): ProvisionedResource {
  const { account, services, properties, name } = resource;
  const { EventPattern: pattern, EventBusName: busName } = properties;
  if (!isJsonObject(pattern)) throw unsupported(resource, 'has no EventPattern.');
  const { bus } = services;
  const onBus = nameOfBus(busName);
  if (!bus.has(onBus)) throw unsupported(resource, `is on the bus ${onBus}, which no stack creates before it.`);
  const path = onBus === DEFAULT_BUS ? name : `${onBus}/${name}`;
  const ruleArn = arn(account, 'events', `rule/${path}`);
  const matches = compilePattern(pattern);
  const targets = listProperty(properties, 'Targets').map((target) => createTarget(resource, ruleArn, target));
  if (properties.State !== 'DISABLED') bus.addRule({ arn: ruleArn, matches, targets }, onBus);
  return { ref: onBus === DEFAULT_BUS ? name : `${onBus}|${name}`, attributes: { Arn: ruleArn } };
}

function createTarget(resource: Resource, ruleArn: string, target: JsonObject): RuleTarget {
  checkTarget(resource, target, 'Arn Id RoleArn DeadLetterConfig RetryPolicy Input InputPath InputTransformer');
  const targetArn = String(target.Arn);
  const sendDeadLetter = deadLetterSender(resource, ruleArn, target);
  return {
    arn: targetArn,
    input: compileInput(target),
    deliver: createDelivery(resource, targetArn, ruleArn),
    undelivered: (event, error) => {
      const log = { functionName: ruleArn, requestId: String(event.id), stream: 'stderr' } as const;
      resource.services.log.add({ ...log, line: `${targetArn} did not accept the event: ${error.message}` });
      try {
        sendDeadLetter?.(JSON.stringify(event), {
          RULE_ARN: { DataType: 'String', StringValue: ruleArn },
          TARGET_ARN: { DataType: 'String', StringValue: targetArn },
          ERROR_CODE: { DataType: 'String', StringValue: error.name },
          ERROR_MESSAGE: { DataType: 'String', StringValue: error.message },
        });
      } catch (refused) {
        resource.services.log.add({ ...log, line: `The event is lost: ${(refused as Error).message}` });
      }
    },
  };
}

function deadLetterSender(resource: Resource, ruleArn: string, target: JsonObject): SendToQueue | undefined {
  const { Arn: deadLetterArn } = objectProperty(target, 'DeadLetterConfig');
  if (deadLetterArn === undefined) return undefined;
  const queue = resource.services.sqs.byArn(String(deadLetterArn));
  if (!queue) throw unsupported(resource, `sends to ${String(deadLetterArn)}, which is not a queue of these stacks.`);
  return senderOfRule(resource, ruleArn, queue);
}

export function createTopic(resource: Resource): ProvisionedResource {
  const { account, services, properties, name } = resource;
  const topicArn = arn(account, 'sns', name);
  services.encryptionKeys.encrypt(topicArn, properties.KmsMasterKeyId);
  return { ref: topicArn, attributes: { TopicArn: topicArn } };
}

export function createTopicPolicy(resource: Resource): ProvisionedResource {
  const { services, properties, name } = resource;
  const { Topics: topics } = properties;
  const policy = objectProperty(properties, 'PolicyDocument');
  const maySend = compileSendPolicy('sns:Publish', policy, (problem) => unsupported(resource, problem));
  for (const topic of Array.isArray(topics) ? topics : []) services.topics.setPolicy(String(topic), maySend);
  return { ref: name, attributes: { Id: name } };
}

/** A subscription is confirmed at once. On AWS somebody must follow the link of the first e-mail. */
export function createSubscription(resource: Resource): ProvisionedResource {
  const { services, properties, name } = resource;
  const { TopicArn, Protocol, Endpoint } = properties;
  services.topics.subscribe(String(TopicArn), `${String(Protocol)}:${String(Endpoint)}`);
  return { ref: `${String(TopicArn)}:${name}`, attributes: {} };
}

/** The authorization of API destinations. Only an API key is supported. */
export function createConnection(resource: Resource): ProvisionedResource {
  const { account, services, properties, name } = resource;
  const parameters = objectProperty(properties, 'AuthParameters');
  const { ApiKeyName: header, ApiKeyValue: value } = objectProperty(parameters, 'ApiKeyAuthParameters');
  if (properties.AuthorizationType !== 'API_KEY' || Object.keys(parameters).length !== 1)
    throw unsupported(resource, 'has an authorization other than an API key, which is not supported.');
  const connectionArn = arn(account, 'events', `connection/${name}`);
  services.bus.connections.set(connectionArn, { [String(header)]: String(value) });
  return { ref: name, attributes: { Arn: connectionArn } };
}

/** An API destination. Unlike on AWS its address may be plain HTTP, for servers on this machine. */
export function createApiDestination(resource: Resource): ProvisionedResource {
  const { account, services, properties, name } = resource;
  const { bus } = services;
  const headers = bus.connections.get(String(properties.ConnectionArn));
  if (!headers) throw unsupported(resource, 'has a connection that is not one of these stacks.');
  const webhook: Webhook = {
    arn: arn(account, 'events', `api-destination/${name}`),
    address: String(properties.InvocationEndpoint),
    method: String(properties.HttpMethod),
    headers,
  };
  bus.webhooks.set(webhook.arn, webhook);
  return { ref: name, attributes: { Arn: webhook.arn } };
}
