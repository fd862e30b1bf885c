import { arn } from '../account.ts';
import type { Webhook } from '../events/webhook.ts';
import { checkedProperties, objectProperty, physicalName, unsupported } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';

/** The authorization of API destinations. Only an API key is supported. */
export function provisionConnection(declaration: ResourceDeclaration, provisioning: Provisioning): ProvisionedResource {
  const properties = checkedProperties(declaration, ['Name', 'AuthorizationType', 'AuthParameters'], ['Description']);
  const parameters = objectProperty(properties, 'AuthParameters');
  const { ApiKeyName: header, ApiKeyValue: value } = objectProperty(parameters, 'ApiKeyAuthParameters');
  if (properties.AuthorizationType !== 'API_KEY' || Object.keys(parameters).length !== 1)
    throw unsupported(declaration, 'has an authorization other than an API key, which is not supported.');
  const name = physicalName(declaration, properties.Name);
  const connectionArn = arn(provisioning.account, 'events', `connection/${name}`);
  provisioning.services.bus.connections.set(connectionArn, { [String(header)]: String(value) });
  return { ref: name, attributes: { Arn: connectionArn } };
}

/** An API destination. Unlike on AWS its address may be plain HTTP, for servers on this machine. */
export function provisionApiDestination(
  declaration: ResourceDeclaration,
  provisioning: Provisioning,
): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['Name', 'ConnectionArn', 'HttpMethod', 'InvocationEndpoint'],
    ['Description', 'InvocationRateLimitPerSecond'],
  );
  const { bus } = provisioning.services;
  const headers = bus.connections.get(String(properties.ConnectionArn));
  if (!headers) throw unsupported(declaration, 'has a connection that is not one of these stacks.');
  const name = physicalName(declaration, properties.Name);
  const webhook: Webhook = {
    arn: arn(provisioning.account, 'events', `api-destination/${name}`),
    address: String(properties.InvocationEndpoint),
    method: String(properties.HttpMethod),
    headers,
  };
  bus.webhooks.set(webhook.arn, webhook);
  return { ref: name, attributes: { Arn: webhook.arn } };
}
