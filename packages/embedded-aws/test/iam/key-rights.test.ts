import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';
import { allow, Key, resources } from './iam-fixture.ts';

const KEY = 'arn:aws:kms:us-east-1:000000000000:key/data';
const via = (service: string) => ({
  Condition: { StringEquals: { 'kms:ViaService': [`${service}.us-east-1.amazonaws.com`] } },
});

/** A bucket, a table and a secret that are encrypted with one key. */
function encrypted() {
  const { Bucket, Table, Secret } = resources([]);
  const ByDefault = { ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY } };
  const withProperties = (resource: { Properties: object }, more: object) => ({
    ...resource,
    Properties: { ...resource.Properties, ...more },
  });
  return {
    Bucket: withProperties(Bucket, { BucketEncryption: { ServerSideEncryptionConfiguration: [ByDefault] } }),
    Table: withProperties(Table, { SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY } }),
    Secret: withProperties(Secret, { KmsKeyId: KEY }),
  };
}

async function start(...keyRights: object[]) {
  const everything = allow(['s3:*', 'dynamodb:*', 'secretsmanager:*'], '*');
  const Policy = {
    Type: 'AWS::IAM::ManagedPolicy',
    Properties: { ManagedPolicyName: 'p', PolicyDocument: { Statement: [everything, ...keyRights] } },
  };
  const { aws } = await startHandmade({ Stack: { Resources: { ...encrypted(), Policy } } });
  await new S3Client(aws.clientSettings).send(new PutObjectCommand({ Bucket: 'bucket', Key: 'a', Body: 'a' }));
  const settings = aws.addPerson('anna', 'arn:aws:iam::000000000000:policy/p');
  const [s3, dynamodb, secrets] = [
    new S3Client(settings),
    new DynamoDBClient(settings),
    new SecretsManagerClient(settings),
  ];
  return {
    read: () => s3.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'a' })),
    write: () => s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'b', Body: 'b' })),
    item: () => dynamodb.send(new GetItemCommand({ TableName: 'table', Key })),
    secret: () => secrets.send(new GetSecretValueCommand({ SecretId: 'secret' })),
  };
}

test('what is encrypted with a key can be used only with a right to the key', async () => {
  const without = await start();
  for (const [attempt, action] of [
    [without.read, 'kms:Decrypt'],
    [without.write, 'kms:GenerateDataKey'],
    [without.item, 'kms:Decrypt'],
    [without.secret, 'kms:Decrypt'],
  ] as const) {
    await expect(attempt()).rejects.toMatchObject({
      name: expect.stringMatching(/^AccessDenied/),
      message: expect.stringContaining(`perform: ${action} on resource: ${KEY}`),
    });
  }
  const all = await start(allow(['kms:Decrypt', 'kms:GenerateDataKey'], KEY));
  for (const attempt of Object.values(all)) await attempt();
});

test('a right to the key through one service does not hold for another', async () => {
  const viaS3 = await start(allow(['kms:Decrypt', 'kms:GenerateDataKey'], KEY, via('s3')));
  await viaS3.read();
  await viaS3.write();
  await expect(viaS3.item()).rejects.toMatchObject({ name: 'AccessDeniedException' });
  await expect(viaS3.secret()).rejects.toMatchObject({ name: 'AccessDeniedException' });
});
