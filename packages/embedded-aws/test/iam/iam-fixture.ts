import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import type { LocalAwsOptions } from '../../index.ts';
import { bucket, lambdaResource, startHandmade, table } from '../cloudformation/handmade-assembly.ts';

const CODE = 'export const reader = async () => process.env;';
export const attribute = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
export const allow = (Action: string | string[], Resource: unknown, more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
export const managed = (ManagedPolicyName: string, Statement: object[], more: object = {}) => ({
  Type: 'AWS::IAM::ManagedPolicy',
  Properties: { ManagedPolicyName, PolicyDocument: { Statement }, ...more },
});
const below = (pattern: string) => ({ 'Fn::Join': ['', [attribute('Bucket'), `/${pattern}`]] });

export const machine = 'arn:aws:states:us-east-1:000000000000:stateMachine:orders';
export const executions = machine.replace('stateMachine', 'execution');
const statements = [
  allow(['dynamodb:GetItem', 'dynamodb:Query'], attribute('Table')),
  allow('s3:GetObject', below('orders/*/order.json')),
  allow('s3:GetObjectVersion', below('pinned/*')),
  allow('s3:PutObject', [below('orders/*/written ü/*'), below('parts/?')]),
  allow('secretsmanager:GetSecretValue', { Ref: 'Secret' }),
  allow(['states:StartExecution', 'states:SendTaskSuccess'], machine),
  allow('states:RedriveExecution', `${executions}:*`),
  allow('events:PutEvents', '*', {
    Condition: { 'ForAllValues:StringEquals': { 'events:source': 'ours' }, Null: { 'events:source': 'false' } },
  }),
];

/** A function `reader` in a role with this policy, and resources for it to use. */
export function resources(policy: object[], role: object = {}) {
  const PolicyDocument = { Statement: policy };
  return {
    Role: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'reader-role', ...role } },
    Policy: { Type: 'AWS::IAM::Policy', Properties: { PolicyName: 'p', PolicyDocument, Roles: [{ Ref: 'Role' }] } },
    Function: lambdaResource('code', 'reader', { Role: attribute('Role') }),
    Table: table('table'),
    Other: table('other'),
    Bucket: bucket('bucket'),
    Elsewhere: bucket('elsewhere'),
    Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'secret', SecretString: 'hidden' } },
  };
}

/** Clients with the access key of the function `reader`, and the same clients with the key of people. */
export async function startReader(more: object[] = [], role: object = {}, options: Partial<LocalAwsOptions> = {}) {
  const stacks = { Stack: { Resources: resources([...statements, ...more], role) } };
  const { aws, config } = await startHandmade(stacks, { code: CODE }, options);
  const clients = (accessKeyId: string) => {
    const client = { ...config, credentials: { accessKeyId, secretAccessKey: 'any' }, maxAttempts: 1 };
    return {
      dynamodb: new DynamoDBClient(client),
      s3: new S3Client(client),
      secrets: new SecretsManagerClient(client),
      states: new SFNClient(client),
      events: new EventBridgeClient(client),
    };
  };
  return { aws, reader: clients('reader'), people: clients('people') };
}

const denied = (name: string, httpStatusCode: number) => (action: string, resource: string) => ({
  name,
  message: `User: arn:aws:sts::000000000000:assumed-role/reader-role/reader is not authorized to perform: ${action} on resource: ${resource}`,
  $metadata: { httpStatusCode },
});
export const deniedJson = denied('AccessDeniedException', 400);
export const deniedS3 = denied('AccessDenied', 403);
export const tableArn = (name: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`;
export const Key = { id: { S: '1' } };
