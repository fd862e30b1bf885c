import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { legacyTemplateOf } from '../helpers/legacy-template.ts';
import { sentCommands } from '../helpers/sent-commands.ts';
import { templateOf } from '../helpers/template.ts';

/** What each command takes; of several actions one at least. */
const ACTIONS: Record<string, string[]> = {
  DeleteItemCommand: ['dynamodb:DeleteItem'],
  GetItemCommand: ['dynamodb:GetItem'],
  PutItemCommand: ['dynamodb:PutItem'],
  QueryCommand: ['dynamodb:Query'],
  UpdateItemCommand: ['dynamodb:UpdateItem'],
  DeleteObjectCommand: ['s3:DeleteObject'],
  GetObjectCommand: ['s3:GetObject', 's3:GetObjectVersion'],
  HeadObjectCommand: ['s3:GetObject', 's3:GetObjectVersion'],
  ListObjectsV2Command: ['s3:ListBucket'],
  PutObjectCommand: ['s3:PutObject'],
  GetSecretValueCommand: ['secretsmanager:GetSecretValue'],
  GetPublicKeyCommand: ['kms:GetPublicKey'],
  SignCommand: ['kms:Sign'],
  DescribeExecutionCommand: ['states:DescribeExecution'],
  SendTaskSuccessCommand: ['states:SendTaskSuccess'],
  StartExecutionCommand: ['states:StartExecution'],
  PutEventsCommand: ['events:PutEvents'],
};
/** An upload in parts takes both. */
const UPLOAD = ['s3:PutObject', 's3:AbortMultipartUpload'];

/** Each step keeps the words of a refused call, and these call nobody. */
const NEVER_SENT: Record<string, string[]> = {
  'legacy-begin-run': ['PutObjectCommand'],
  'legacy-end-run': ['PutObjectCommand'],
};

interface Resource {
  Type: string;
  Properties: {
    FunctionName?: string;
    Role?: { 'Fn::GetAtt': [string, string] };
    Roles?: { Ref: string }[];
    PolicyDocument?: { Statement: { Action: string | string[]; Resource: unknown }[] };
  };
}

/** The statements of each function's role, but those on its log group and on the queue to which Lambda itself sends what failed. */
function statementsByFunction(template: Template, prefix: string) {
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

const commands = sentCommands();
const rights = [
  ...statementsByFunction(templateOf('local'), 'loan-orders-local-'),
  ...statementsByFunction(legacyTemplateOf('local'), 'loan-orders-local-'),
];

test('every function is looked at', () => {
  expect(rights.map(({ name }) => name).sort()).toEqual([...commands.keys()].sort());
});

describe.each(rights)('$name', ({ name, statements }) => {
  const sent = [...(commands.get(name) ?? [])].filter((command) => !NEVER_SENT[name]?.includes(command));
  const allowed = [...new Set(statements.flatMap(({ actions }) => actions))];
  const needed = sent.map((command) => (command === 'Upload' ? UPLOAD : (ACTIONS[command] ?? [command])));

  test('has a right for each command that it can send', () => {
    const missing = sent.filter((command, index) => {
      const wanted = needed[index] ?? [];
      return command === 'Upload'
        ? !wanted.every((action) => allowed.includes(action))
        : !wanted.some((action) => allowed.includes(action));
    });
    expect(missing).toEqual([]);
  });

  test('has no right that none of its commands takes', () => {
    const reads = needed.flat().includes('s3:GetObject');
    // Whoever may not list is not told that an object is missing.
    const taken = new Set([...needed.flat(), ...(reads ? ['s3:ListBucket'] : [])]);
    expect(allowed.filter((action) => !taken.has(action))).toEqual([]);
  });
});

/** Resources of the statements of a function that allow the action. */
const resourcesOf = (name: string, action: string) =>
  (rights.find((one) => one.name === name)?.statements ?? [])
    .filter(({ actions }) => actions.includes(action))
    .map(({ resource }) => resource)
    .join();

test.each(['await-signatures', 'sign-documents', 'upload-signature', 'receive'])(
  '%s reads signatures as they are in intake now, in no version of its choice',
  (name) => {
    expect(resourcesOf(name, 's3:GetObject')).toContain('/signatures/*');
    expect(resourcesOf(name, 's3:GetObjectVersion')).not.toContain('/signatures/*');
  },
);

test('intake reads packages and documents, and neither signatures nor decisions', () => {
  const read = resourcesOf('intake', 's3:GetObject');
  expect(read).toContain('/orders/*/order.json');
  expect(read).toContain('/orders/*/documents/*');
  expect(read).not.toContain('/orders/*/*"');
  expect(resourcesOf('intake', 's3:GetObjectVersion')).toBe('');
});

test('sign-documents answers nobody: it writes signatures and the page of what is to sign', () => {
  expect(resourcesOf('sign-documents', 's3:PutObject')).not.toMatch(/signatures-(rejected|unchecked)/);
});
