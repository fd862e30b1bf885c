import { makeAuthority, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import type { ConnectionSettings } from '../../infra/order-service-settings.ts';
import type { Stage } from '../../infra/stages.ts';

export const KEY_ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
export const CERTIFICATE_ARN = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:bank/client-a1B2c3';
export const ofPartner = {
  vpc: 'vpc-0a1b2c3d',
  subnets: ['subnet-0a1b2c3d', 'subnet-1a2b3c4d5e6f7a8b9'],
  securityGroups: ['sg-0a1b2c3d'],
};

export function networkRules(template: Template): void {
  test('are in its subnets with its security groups', () => {
    template.allResourcesProperties('AWS::Lambda::Function', {
      VpcConfig: { SubnetIds: ofPartner.subnets, SecurityGroupIds: ofPartner.securityGroups },
    });
    template.resourceCountIs('AWS::EC2::SecurityGroup', 0);
  });

  test('have roles with which Lambda connects them, and their code may not do that', () => {
    const functions = Object.keys(template.findResources('AWS::Lambda::Function')).length;
    const Action = Match.arrayWith(['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface']);
    const allowed = Match.objectLike({ Effect: 'Allow', Action, Resource: '*' });
    const ArnEquals = { 'lambda:SourceFunctionArn': Match.anyValue() };
    const denied = Match.objectLike({ Effect: 'Deny', Action, Condition: { ArnEquals } });
    const roles = (statement: unknown) =>
      template.findResources('AWS::IAM::Policy', {
        Properties: { PolicyDocument: { Statement: Match.arrayWith([statement]) } },
      });
    expect(Object.keys(roles(allowed))).toHaveLength(functions);
    expect(Object.keys(roles(denied))).toHaveLength(functions);
  });
}

/** Where each type of resource names its key. */
const KEY_OF: Record<string, string> = {
  'AWS::S3::Bucket':
    'BucketEncryption.ServerSideEncryptionConfiguration.0.ServerSideEncryptionByDefault.KMSMasterKeyID',
  'AWS::DynamoDB::Table': 'SSESpecification.KMSMasterKeyId',
  'AWS::SecretsManager::Secret': 'KmsKeyId',
  'AWS::Logs::LogGroup': 'KmsKeyId',
  'AWS::SQS::Queue': 'KmsMasterKeyId',
};

function keysIn(template: Template): { type: string; key: unknown }[] {
  return Object.entries(KEY_OF).flatMap(([type, path]) =>
    Object.values(template.findResources(type)).map(({ Properties }) => ({
      type,
      key: path
        .split('.')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], Properties),
    })),
  );
}

export function encryptionRules(templateWith: (encryption: Stage['encryption']) => Template): void {
  test('names no key by default', () => {
    const template = templateWith('aws-managed');
    template.resourceCountIs('AWS::KMS::Key', 0);
    expect(keysIn(template).filter(({ key }) => key !== undefined)).toEqual([]);
    expect(JSON.stringify(template.toJSON())).not.toContain('kms:');
  });

  test('encrypts every bucket, table, secret, queue and log group with the key that it creates', () => {
    const template = templateWith('stack-key');
    template.hasResource('AWS::KMS::Key', {
      Properties: { EnableKeyRotation: true, KeySpec: Match.absent() },
      DeletionPolicy: 'Retain',
    });
    // Keys that sign do not rotate.
    const [keyId = ''] = Object.keys(
      template.findResources('AWS::KMS::Key', { Properties: { EnableKeyRotation: true } }),
    );
    const keys = keysIn(template);
    expect(new Set(keys.map(({ type }) => type)).size).toBe(5);
    expect(keys.filter(({ key }) => JSON.stringify(key) !== JSON.stringify({ 'Fn::GetAtt': [keyId, 'Arn'] }))).toEqual(
      [],
    );
  });

  test('encrypts all of them with the key that the stage names', () => {
    const template = templateWith(KEY_ARN);
    template.resourceCountIs('AWS::KMS::Key', 0);
    expect(keysIn(template).filter(({ key }) => key !== KEY_ARN)).toEqual([]);
  });

  test('lets every function use the key, but only through the services that keep the data', () => {
    const template = templateWith(KEY_ARN);
    const functions = Object.keys(template.findResources('AWS::Lambda::Function')).length;
    const users = template.findResources('AWS::IAM::Policy', {
      Properties: {
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({
              Action: Match.arrayWith(['kms:Decrypt', 'kms:GenerateDataKey']),
              Resource: KEY_ARN,
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
}

/** Tests of a stack of which `calling` functions call a service. */
export function connectionRules(
  templateWith: (connection: ConnectionSettings) => Template,
  calling: number,
  secretName: string,
): void {
  /** How many functions have the secret in their environment, and how many policies of roles name it. */
  function users(template: Template, arn: unknown) {
    const Environment = { Variables: { CLIENT_CERTIFICATE_SECRET: arn } };
    const functions = Object.keys(template.findResources('AWS::Lambda::Function', { Properties: { Environment } }));
    const policies = Object.values(template.findResources('AWS::IAM::Policy')).map((policy) => JSON.stringify(policy));
    return {
      functions: functions.length,
      policies: policies.filter((policy) => policy.includes(JSON.stringify(arn))).length,
    };
  }

  test('has no secret for a certificate by default', () => {
    const template = templateWith({});
    template.resourceCountIs('AWS::SecretsManager::Secret', 1);
    expect(JSON.stringify(template.toJSON())).not.toContain('CLIENT_CERTIFICATE_SECRET');
  });

  test('creates a secret without a value, which only the functions that call the service may read', () => {
    const template = templateWith({ clientCertificate: true });
    const found = template.findResources('AWS::SecretsManager::Secret', { Properties: { Name: secretName } });
    const [[id = '', secret] = []] = Object.entries(found);
    expect(secret).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate' });
    expect(secret?.Properties).not.toHaveProperty('GenerateSecretString');
    expect(secret?.Properties).not.toHaveProperty('SecretString');
    expect(users(template, { Ref: id })).toEqual({ functions: calling, policies: calling });
    template.hasOutput('ClientCertificateSecret', { Value: { Ref: id } });
  });

  test('names the file of the authorities to the functions that call the service', () => {
    const Environment = { Variables: { SERVICE_AUTHORITIES_FILE: 'service-authorities.pem' } };
    const named = (template: Template) =>
      Object.keys(template.findResources('AWS::Lambda::Function', { Properties: { Environment } })).length;
    expect(named(templateWith({}))).toBe(0);
    expect(named(templateWith({ caBundle: toPem(makeAuthority().certificate) }))).toBe(calling);
  });

  test('uses the secret that the stage names', () => {
    const template = templateWith({ clientCertificate: CERTIFICATE_ARN });
    template.resourceCountIs('AWS::SecretsManager::Secret', 1);
    expect(users(template, CERTIFICATE_ARN)).toEqual({ functions: calling, policies: calling });
    const Resource = 'arn:aws:kms:eu-central-1:111122223333:key/*';
    const isOfSecret = {
      'kms:ViaService': 'secretsmanager.eu-central-1.amazonaws.com',
      'kms:EncryptionContext:SecretARN': CERTIFICATE_ARN,
    };
    const decrypts = { Action: 'kms:Decrypt', Effect: 'Allow', Resource, Condition: { StringEquals: isOfSecret } };
    const PolicyDocument = { Statement: Match.arrayWith([decrypts]) };
    template.resourcePropertiesCountIs(
      'AWS::IAM::Policy',
      { PolicyDocument: Match.objectLike(PolicyDocument) },
      calling,
    );
  });
}
