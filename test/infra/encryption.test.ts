import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { legacyTemplate } from '../../bank-exchange/test/helpers/template.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { type Policy, personOf } from '../helpers/people-policies.ts';
import { orderTemplate } from '../helpers/template.ts';

const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const withEncryption = (encryption: Stage['encryption']) => (stage: Stage) => ({ ...stage, encryption });
const templates = (encryption: Stage['encryption']) => ({
  orders: orderTemplate('prod', withEncryption(encryption)),
  exchange: legacyTemplate('prod', withEncryption(encryption)),
});

/** Where each type of resource names its key. */
const KEY_OF: Record<string, string[]> = {
  'AWS::S3::Bucket': [
    'BucketEncryption',
    'ServerSideEncryptionConfiguration',
    '0',
    'ServerSideEncryptionByDefault',
    'KMSMasterKeyID',
  ],
  'AWS::DynamoDB::Table': ['SSESpecification', 'KMSMasterKeyId'],
  'AWS::SecretsManager::Secret': ['KmsKeyId'],
  'AWS::Logs::LogGroup': ['KmsKeyId'],
  'AWS::SQS::Queue': ['KmsMasterKeyId'],
};

/** The key of every resource that keeps data. */
function keysIn(template: Template): { type: string; key: unknown }[] {
  return Object.entries(KEY_OF).flatMap(([type, path]) =>
    Object.values(template.findResources(type)).map(({ Properties }) => ({
      type,
      key: path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], Properties),
    })),
  );
}

test('encryption is one of two words or the ARN of a key', () => {
  const { name: _name, ...settings } = stageSettings('test');
  const checked = (encryption: unknown) => () => stageSettings('test', { test: { ...settings, encryption } });
  expect(settings.encryption).toBe('aws-managed');
  for (const value of ['aws-managed', 'stack-key', ARN]) expect(checked(value)).not.toThrow();
  for (const value of ['alias/mine', 'own', true]) expect(checked(value)).toThrow('test.encryption:');
});

describe.each(['orders', 'exchange'] as const)('the stack of the %s', (name) => {
  test('names no key by default', () => {
    const template = templates('aws-managed')[name];
    template.resourceCountIs('AWS::KMS::Key', 0);
    expect(keysIn(template).filter(({ key }) => key !== undefined)).toEqual([]);
    expect(JSON.stringify(template.toJSON())).not.toContain('kms:');
  });

  test('encrypts every bucket, table, secret, queue and log group with the key that it creates', () => {
    const template = templates('stack-key')[name];
    template.hasResource('AWS::KMS::Key', {
      Properties: { EnableKeyRotation: true, KeySpec: Match.absent() },
      DeletionPolicy: 'Retain',
    });
    const [keyId = ''] = Object.keys(template.findResources('AWS::KMS::Key'));
    const keys = keysIn(template);
    expect(new Set(keys.map(({ type }) => type)).size).toBe(5);
    expect(keys.filter(({ key }) => JSON.stringify(key) !== JSON.stringify({ 'Fn::GetAtt': [keyId, 'Arn'] }))).toEqual(
      [],
    );
  });

  test('encrypts all of them with the key that the stage names', () => {
    const template = templates(ARN)[name];
    template.resourceCountIs('AWS::KMS::Key', 0);
    expect(keysIn(template).filter(({ key }) => key !== ARN)).toEqual([]);
  });

  test('lets every function use the key, but only through the services that keep the data', () => {
    const template = templates(ARN)[name];
    const functions = Object.keys(template.findResources('AWS::Lambda::Function')).length;
    const users = template.findResources('AWS::IAM::Policy', {
      Properties: {
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({
              Action: Match.arrayWith(['kms:Decrypt', 'kms:GenerateDataKey']),
              Resource: ARN,
              Condition: {
                StringEquals: {
                  'kms:ViaService': ['s3', 'dynamodb', 'secretsmanager'].map((service) => ({
                    'Fn::Join': ['', [`${service}.`, { Ref: 'AWS::Region' }, '.amazonaws.com']],
                  })),
                },
              },
            }),
          ]),
        },
      },
    });
    expect(Object.keys(users)).toHaveLength(functions);
  });
});

test('the key of the stack can be used by CloudWatch Logs for its log groups and by EventBridge for its queue', () => {
  templates('stack-key').orders.hasResourceProperties('AWS::KMS::Key', {
    KeyPolicy: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Principal: { Service: { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.amazonaws.com']] } },
        }),
        {
          Sid: 'EventsIntoQueues',
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
          Resource: '*',
        },
      ]),
    },
  });
});

test('every person may use the key as far as their rights go', () => {
  const policies = templates(ARN).orders.findResources('AWS::IAM::ManagedPolicy');
  const rights = Object.values(policies).map(({ Properties }) => [
    personOf({ Properties } as Policy),
    Properties.PolicyDocument.Statement.filter(({ Resource }: { Resource: unknown }) => Resource === ARN).flatMap(
      ({ Action }: { Action: string | string[] }) => Action,
    ),
  ]);
  expect(Object.fromEntries(rights)).toEqual({
    'back-office': ['kms:Decrypt', 'kms:GenerateDataKey'],
    signer: ['kms:Decrypt', 'kms:GenerateDataKey'],
    'credit-desk': ['kms:Decrypt', 'kms:GenerateDataKey'],
    operator: expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey']),
    'data-protection': expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey']),
    auditor: ['kms:Decrypt'],
  });
});
