import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, type PolicyStatementProps, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { resourcesName } from '../names.ts';
import type { Stage } from '../stages.ts';
import { homeOf } from './home.ts';

const ID = 'DataKey';

export const READ_WITH_KEY = ['kms:Decrypt'];
/** Writes objects to S3. An upload in parts decrypts too. */
export const WRITE_OBJECTS_WITH_KEY = ['kms:Decrypt', 'kms:GenerateDataKey'];
/** The actions that DynamoDB performs with a table's key on behalf of a caller. */
export const USE_TABLE_WITH_KEY = [
  ...WRITE_OBJECTS_WITH_KEY,
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/**
 * The key that encrypts the data of a stack: one that the stack creates, or the stage's. Undefined if AWS encrypts with its own keys. Every
 * call for the same stack returns the same key.
 */
export function dataKey(scope: Construct, stage: Stage): IKey | undefined {
  const { encryption, keepData } = stage;
  if (encryption === 'aws-managed') return undefined;
  const home = homeOf(scope);
  const existing = home.node.tryFindChild(ID) as Key | undefined;
  if (existing) return existing;
  if (encryption !== 'stack-key') return Key.fromKeyArn(home, ID, encryption);
  const stack = Stack.of(home);
  const key = new Key(home, ID, {
    description: `Encrypts the data of ${stack.stackName}`,
    enableKeyRotation: true,
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  for (const statement of servicesOfKey(stack, stage)) key.addToResourcePolicy(new PolicyStatement(statement));
  return key;
}

/** The services that use the key on their own behalf. docs/deployment.md shows them for a key of the partner. */
function servicesOfKey(stack: Stack, stage: Stage): PolicyStatementProps[] {
  const logGroups = stack.formatArn({ service: 'logs', resource: `log-group:/aws/*/${resourcesName(stage)}*` });
  return [
    {
      sid: 'LogGroups',
      principals: [new ServicePrincipal(`logs.${stack.region}.amazonaws.com`)],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups } },
    },
    {
      // No condition: with aws:SourceAccount, EventBridge may deliver nothing. The policy of each queue names the one rule that may send.
      sid: 'EventsIntoQueues',
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
    },
  ];
}

export function useOfKey(stack: Stack, keyArn: string, actions: string[], services: string[]): PolicyStatementProps {
  const viaService = services.map((service) => `${service}.${stack.region}.amazonaws.com`);
  return { actions, resources: [keyArn], conditions: { StringEquals: { 'kms:ViaService': viaService } } };
}

/** Lets the role use the key that encrypts the data of the stack, if there is one, through these services. */
export function allowDataKey(role: IRole, stage: Stage, actions: string[], services: string[]): void {
  const key = dataKey(role, stage);
  if (key) role.addToPrincipalPolicy(new PolicyStatement(useOfKey(Stack.of(role), key.keyArn, actions, services)));
}
