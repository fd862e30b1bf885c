import type { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';

/** The actions of each command. At least one of them must be allowed. */
export const ACTIONS_OF_COMMANDS: Record<string, string[]> = {
  DeleteItemCommand: ['dynamodb:DeleteItem'],
  GetItemCommand: ['dynamodb:GetItem'],
  BatchGetItemCommand: ['dynamodb:BatchGetItem'],
  PutItemCommand: ['dynamodb:PutItem'],
  QueryCommand: ['dynamodb:Query'],
  UpdateItemCommand: ['dynamodb:UpdateItem'],
  DeleteObjectCommand: ['s3:DeleteObject', 's3:DeleteObjectVersion'],
  GetObjectCommand: ['s3:GetObject', 's3:GetObjectVersion'],
  HeadObjectCommand: ['s3:GetObject', 's3:GetObjectVersion'],
  ListObjectsV2Command: ['s3:ListBucket'],
  ListObjectVersionsCommand: ['s3:ListBucketVersions'],
  PutObjectCommand: ['s3:PutObject'],
  GetSecretValueCommand: ['secretsmanager:GetSecretValue'],
  GetPublicKeyCommand: ['kms:GetPublicKey'],
  SignCommand: ['kms:Sign'],
  DescribeExecutionCommand: ['states:DescribeExecution'],
  ListExecutionsCommand: ['states:ListExecutions'],
  SendTaskSuccessCommand: ['states:SendTaskSuccess'],
  StartExecutionCommand: ['states:StartExecution'],
  PutEventsCommand: ['events:PutEvents'],
};
/** A multipart upload needs both actions. */
const UPLOAD = ['s3:PutObject', 's3:AbortMultipartUpload'];

interface Resource {
  Type: string;
  Properties: {
    FunctionName?: string;
    Role?: { 'Fn::GetAtt': [string, string] };
    Roles?: { Ref: string }[];
    PolicyDocument?: { Statement: { Action: string | string[]; Resource: unknown }[] };
  };
}

/** The statements of each function's role, except those for its log group and for the dead-letter queue, which Lambda uses. */
export function statementsByFunction(template: Template, prefix: string) {
  const resources = Object.values(template.toJSON().Resources as Record<string, Resource>);
  const functions = resources.filter(({ Type }) => Type === 'AWS::Lambda::Function');
  return functions.map(({ Properties: { FunctionName = '', Role } }) => {
    const role = Role?.['Fn::GetAtt'][0];
    const policies = resources.filter(({ Properties: { Roles } = {} }) => Roles?.some(({ Ref }) => Ref === role));
    const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument?.Statement ?? []);
    const own = statements
      .map(({ Action, Resource }) => ({ actions: [Action].flat(), resource: JSON.stringify(Resource) }))
      .filter(({ actions }) => !/^(logs|sqs):/.test(actions[0] ?? ''));
    return { name: FunctionName.slice(prefix.length), statements: own };
  });
}

/** Tests that every function may send just the commands that its code names, except those `neverSent`. */
export function rightsRules(
  rights: ReturnType<typeof statementsByFunction>,
  commands: Map<string, Set<string>>,
  neverSent: Record<string, string[]> = {},
): void {
  test('the permissions of every function are checked', () => {
    expect(rights.map(({ name }) => name).sort()).toEqual([...commands.keys()].sort());
  });

  const checked = rights.map(({ name, statements }) => ({
    name,
    sent: [...(commands.get(name) ?? [])].filter((command) => !neverSent[name]?.includes(command)),
    allowed: [...new Set(statements.flatMap(({ actions }) => actions))],
  }));

  test('has a permission for each command that it can send', () => {
    const missing = checked.flatMap(({ name, sent, allowed }) =>
      sent.filter((command) => !isAllowed(command, allowed)).map((command) => `${name}: ${command}`),
    );
    expect(missing).toEqual([]);
  });

  test('has no permission that none of its commands needs', () => {
    const needless = checked.flatMap(({ name, sent, allowed }) => {
      const needed = sent.flatMap(actionsOf);
      // Without s3:ListBucket, S3 does not say that an object is missing.
      const taken = needed.includes('s3:GetObject') ? [...needed, 's3:ListBucket'] : needed;
      return allowed.filter((action) => !taken.includes(action)).map((action) => `${name}: ${action}`);
    });
    expect(needless).toEqual([]);
  });
}

const actionsOf = (command: string) => (command === 'Upload' ? UPLOAD : (ACTIONS_OF_COMMANDS[command] ?? [command]));

function isAllowed(command: string, allowed: string[]): boolean {
  const wanted = actionsOf(command);
  return command === 'Upload'
    ? wanted.every((action) => allowed.includes(action))
    : wanted.some((action) => allowed.includes(action));
}
