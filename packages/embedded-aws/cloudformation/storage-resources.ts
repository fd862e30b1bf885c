import { arn, stableSuffix } from '../account.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { Bucket } from '../s3/bucket.ts';
import { generateSecretString } from '../secrets-manager/generate.ts';
import { Secret } from '../secrets-manager/secret.ts';
import { nextTurn } from '../time/activity.ts';
import { checkedProperties, listProperty, objectProperty, physicalName, unsupported } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';

export function provisionBucket(declaration: ResourceDeclaration, provisioning: Provisioning): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['BucketName', 'VersioningConfiguration', 'NotificationConfiguration'],
    [
      'BucketEncryption',
      'PublicAccessBlockConfiguration',
      'LifecycleConfiguration',
      'OwnershipControls',
      'Tags',
      'AccessControl',
      'LoggingConfiguration',
      'MetricsConfigurations',
      'CorsConfiguration',
    ],
  );
  const notification = objectProperty(properties, 'NotificationConfiguration');
  const other = Object.keys(notification).find((name) => name !== 'EventBridgeConfiguration');
  if (other) throw unsupported(declaration, `has ${other}; only notifications to EventBridge are supported.`);
  const eventBridge = notification.EventBridgeConfiguration;
  const name = physicalName(declaration, properties.BucketName, 63).toLowerCase();
  const bucket = new Bucket({
    name,
    arn: `arn:aws:s3:::${name}`,
    isVersioned: objectProperty(properties, 'VersioningConfiguration').Status === 'Enabled',
    sendsEvents: isJsonObject(eventBridge) && String(eventBridge.EventBridgeEnabled ?? true) === 'true',
    bodies: provisioning.services.bodies,
  });
  provisioning.services.s3.addBucket(bucket);
  provisioning.services.encryptionKeys.encrypt(bucket.arn, bucketKey(properties));
  const domain = `${name}.s3.amazonaws.com`;
  const regional = `${name}.s3.${provisioning.account.region}.amazonaws.com`;
  return { ref: name, attributes: { Arn: bucket.arn, DomainName: domain, RegionalDomainName: regional } };
}

function bucketKey(properties: JsonObject): unknown {
  const [rule = {}] = listProperty(objectProperty(properties, 'BucketEncryption'), 'ServerSideEncryptionConfiguration');
  return objectProperty(rule, 'ServerSideEncryptionByDefault').KMSMasterKeyID;
}

/** The properties that dynalite's CreateTable accepts. */
const TABLE_PROPERTIES = [
  'AttributeDefinitions',
  'KeySchema',
  'BillingMode',
  'ProvisionedThroughput',
  'GlobalSecondaryIndexes',
  'LocalSecondaryIndexes',
];

export function provisionTable(declaration: ResourceDeclaration, provisioning: Provisioning): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['TableName', ...TABLE_PROPERTIES],
    [
      'PointInTimeRecoverySpecification',
      'SSESpecification',
      'TimeToLiveSpecification',
      'Tags',
      'TableClass',
      'DeletionProtectionEnabled',
      'ContributorInsightsSpecification',
      'ResourcePolicy',
      'OnDemandThroughput',
    ],
  );
  const name = physicalName(declaration, properties.TableName, 255);
  const wanted = Object.entries(properties).filter(([property]) => TABLE_PROPERTIES.includes(property));
  provisioning.startup.push(() => createTable(provisioning, { ...Object.fromEntries(wanted), TableName: name }));
  const tableArn = arn(provisioning.account, 'dynamodb', `table/${name}`);
  const { KMSMasterKeyId: key } = objectProperty(properties, 'SSESpecification');
  provisioning.services.encryptionKeys.encrypt(tableArn, key);
  return { ref: name, attributes: { Arn: tableArn } };
}

async function createTable({ services }: Provisioning, table: JsonObject): Promise<void> {
  const { dynamoDb } = services;
  await dynamoDb.call('CreateTable', table);
  const { TableName = null } = table;
  const isActive = async () => {
    const { Table: described = null } = await dynamoDb.call('DescribeTable', { TableName });
    return isJsonObject(described) && described.TableStatus === 'ACTIVE';
  };
  while (!(await isActive())) await nextTurn();
}

export function provisionSecret(declaration: ResourceDeclaration, provisioning: Provisioning): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['Name', 'Description', 'SecretString', 'GenerateSecretString'],
    ['KmsKeyId', 'Tags'],
  );
  const { account, services } = provisioning;
  const name = physicalName(declaration, properties.Name, 256);
  const createdAt = services.clock.now();
  const { Description: description } = properties;
  const secret = new Secret({
    name,
    createdAt,
    arn: arn(account, 'secretsmanager', `secret:${name}-${stableSuffix(name, 6)}`),
    ...(typeof description === 'string' ? { description } : {}),
  });
  if (typeof properties.SecretString === 'string') secret.put({ secretString: properties.SecretString }, createdAt);
  else if (isJsonObject(properties.GenerateSecretString)) {
    secret.put({ secretString: generateSecretString(properties.GenerateSecretString) }, createdAt);
  }
  services.secretsManager.add(secret);
  services.encryptionKeys.encrypt(secret.arn, properties.KmsKeyId);
  return { ref: secret.arn, attributes: { Id: secret.arn } };
}
