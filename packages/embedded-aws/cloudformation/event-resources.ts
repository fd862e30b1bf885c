import { arn } from '../account.ts';
import { DEFAULT_BUS, type RuleTarget } from '../events/bus.ts';
import { compileInput } from '../events/input.ts';
import { compilePattern } from '../events/pattern.ts';
import { compileSendPolicy } from '../events/send-policy.ts';
import { nameOfBus } from '../events/service.ts';
import type { Webhook } from '../events/webhook.ts';
import { isJsonObject, type JsonObject } from '../protocol/operation.ts';
import { checkTarget, listProperty, objectProperty, type Resource, textsProperty, unsupported } from './properties.ts';
import type { ProvisionedResource } from './stack.ts';
import { createDelivery, createRefusal } from './target-delivery.ts';

/** A custom event bus. Its policies and archives are ignored. */
export function createEventBusResource({ account, services, name }: Resource): ProvisionedResource {
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
  if (properties.State === 'DISABLED') bus.removeRule(ruleArn);
  else bus.addRule({ arn: ruleArn, matches, targets }, onBus);
  return { ref: onBus === DEFAULT_BUS ? name : `${onBus}|${name}`, attributes: { Arn: ruleArn } };
}

function createTarget(resource: Resource, ruleArn: string, target: JsonObject): RuleTarget {
  checkTarget(resource, target, 'Arn Id RoleArn DeadLetterConfig RetryPolicy InputTransformer');
  const targetArn = String(target.Arn);
  const refuse = createRefusal(resource, target, 'RULE_ARN', ruleArn);
  return {
    arn: targetArn,
    input: compileInput(target),
    deliver: createDelivery(resource, targetArn, ruleArn),
    undelivered: (event, error) => refuse(JSON.stringify(event), error),
  };
}

export function createTopic({ account, services, properties, name }: Resource): ProvisionedResource {
  const topicArn = arn(account, 'sns', name);
  services.encryptionKeys.encrypt(topicArn, properties.KmsMasterKeyId);
  return { ref: topicArn, attributes: { TopicArn: topicArn } };
}

export function createTopicPolicy(resource: Resource): ProvisionedResource {
  const { services, properties, name } = resource;
  const policy = objectProperty(properties, 'PolicyDocument');
  const maySend = compileSendPolicy('sns:Publish', policy, (problem) => unsupported(resource, problem));
  for (const topic of textsProperty(properties, 'Topics')) services.topics.setPolicy(topic, maySend);
  return { ref: name, attributes: { Id: name } };
}

/** Subscriptions are confirmed at once. On AWS, the recipient must follow a link in an email. */
export function createSubscription({ services, properties, name }: Resource): ProvisionedResource {
  const { TopicArn, Protocol, Endpoint } = properties;
  services.topics.subscribe(String(TopicArn), `${String(Protocol)}:${String(Endpoint)}`);
  return { ref: `${String(TopicArn)}:${name}`, attributes: {} };
}

/** A connection of API destinations. Only API key authorization is supported. */
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

/** An API destination. Unlike on AWS, its address may use plain HTTP, for local servers. */
export function createApiDestination(resource: Resource): ProvisionedResource {
  const { account, services, properties, name } = resource;
  const { bus } = services;
  const headers = bus.connections.get(String(properties.ConnectionArn));
  if (!headers) throw unsupported(resource, 'has a connection that is not in these stacks.');
  const webhook: Webhook = {
    arn: arn(account, 'events', `api-destination/${name}`),
    address: String(properties.InvocationEndpoint),
    method: String(properties.HttpMethod),
    headers,
  };
  bus.webhooks.set(webhook.arn, webhook);
  return { ref: name, attributes: { Arn: webhook.arn } };
}
