import { arn, stableSuffix } from '../account.ts';
import { isJsonObject, type JsonObject } from '../protocol/operation.ts';
import { openBucket } from '../s3/bucket.ts';
import { Secret } from '../secrets-manager/secret.ts';
import { listProperty, objectProperty, type Resource, unsupported } from './properties.ts';
import type { ProvisionedResource } from './stack.ts';

export function createBucket(resource: Resource): ProvisionedResource {
  const { account, services, properties } = resource;
  const name = resource.name.toLowerCase();
  const notification = objectProperty(properties, 'NotificationConfiguration');
  const other = Object.keys(notification).find((name) => name !== 'EventBridgeConfiguration');
  if (other) throw unsupported(resource, `has ${other}; only notifications to EventBridge are supported.`);
  const eventBridge = notification.EventBridgeConfiguration;
  const settings = {
    name,
    arn: `arn:aws:s3:::${name}`,
    isVersioned: objectProperty(properties, 'VersioningConfiguration').Status === 'Enabled',
    sendsEvents: isJsonObject(eventBridge) && String(eventBridge.EventBridgeEnabled ?? true) === 'true',
  };
  services.s3.addBucket(openBucket(settings, services.bodies));
  services.encryptionKeys.encrypt(settings.arn, bucketKey(properties));
  const domain = `${name}.s3.amazonaws.com`;
  const regional = `${name}.s3.${account.region}.amazonaws.com`;
  return { ref: name, attributes: { Arn: settings.arn, DomainName: domain, RegionalDomainName: regional } };
}

function bucketKey(properties: JsonObject): unknown {
  const [rule = {}] = listProperty(objectProperty(properties, 'BucketEncryption'), 'ServerSideEncryptionConfiguration');
  return objectProperty(rule, 'ServerSideEncryptionByDefault').KMSMasterKeyID;
}

/** The properties that are passed to dynalite's CreateTable. */
export const TABLE_PROPERTIES = 'AttributeDefinitions KeySchema BillingMode GlobalSecondaryIndexes';

export function createTable(resource: Resource): ProvisionedResource {
  const { account, services, properties, name, startup } = resource;
  const wanted = Object.entries(properties).filter(([property]) => TABLE_PROPERTIES.split(' ').includes(property));
  startup.push(() => services.dynamoDb.createTable({ ...Object.fromEntries(wanted), TableName: name }));
  const { PointInTimeRecoveryEnabled: isRecoverable } = objectProperty(properties, 'PointInTimeRecoverySpecification');
  if (String(isRecoverable) === 'true') services.dynamoDb.pointInTime.enable(name);
  if (String(properties.DeletionProtectionEnabled) === 'true') services.dynamoDb.pointInTime.protect(name);
  const tableArn = arn(account, 'dynamodb', `table/${name}`);
  const { KMSMasterKeyId: key } = objectProperty(properties, 'SSESpecification');
  services.encryptionKeys.encrypt(tableArn, key);
  return { ref: name, attributes: { Arn: tableArn } };
}

export function createSecret({ account, services, properties, name }: Resource): ProvisionedResource {
  const createdAt = services.clock.now();
  const secretArn = arn(account, 'secretsmanager', `secret:${name}-${stableSuffix(name, 6)}`);
  const secret = new Secret({ name, createdAt, arn: secretArn });
  if (typeof properties.SecretString === 'string') secret.put(properties.SecretString, createdAt);
  services.secretsManager.add(secret);
  services.encryptionKeys.encrypt(secretArn, properties.KmsKeyId);
  return { ref: secretArn, attributes: { Id: secretArn } };
}
