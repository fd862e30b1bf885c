import { arn } from '../account.ts';
import { compileSendPolicy } from '../events/send-policy.ts';
import { checkedProperties, objectProperty, physicalName, unsupported } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';

export function provisionTopic(
  declaration: ResourceDeclaration,
  { account, services }: Provisioning,
): ProvisionedResource {
  const properties = checkedProperties(declaration, ['TopicName', 'KmsMasterKeyId'], ['DisplayName', 'Tags']);
  const topicArn = arn(account, 'sns', physicalName(declaration, properties.TopicName));
  services.encryptionKeys.encrypt(topicArn, properties.KmsMasterKeyId);
  return { ref: topicArn, attributes: { TopicArn: topicArn } };
}

export function provisionTopicPolicy(
  declaration: ResourceDeclaration,
  { services }: Provisioning,
): ProvisionedResource {
  const { Topics: topics } = checkedProperties(declaration, ['Topics', 'PolicyDocument'], []);
  const policy = objectProperty(declaration.properties, 'PolicyDocument');
  const maySend = compileSendPolicy('sns:Publish', policy, (problem) => unsupported(declaration, problem));
  for (const topic of Array.isArray(topics) ? topics : []) services.topics.setPolicy(String(topic), maySend);
  const name = physicalName(declaration, undefined);
  return { ref: name, attributes: { Id: name } };
}

/** A subscription is confirmed at once. On AWS somebody must follow the link of the first e-mail. */
export function provisionSubscription(
  declaration: ResourceDeclaration,
  { services }: Provisioning,
): ProvisionedResource {
  const { TopicArn, Protocol, Endpoint } = checkedProperties(declaration, ['TopicArn', 'Protocol', 'Endpoint'], []);
  services.topics.subscribe(String(TopicArn), `${String(Protocol)}:${String(Endpoint)}`);
  const name = physicalName(declaration, undefined);
  return { ref: `${String(TopicArn)}:${name}`, attributes: {} };
}
