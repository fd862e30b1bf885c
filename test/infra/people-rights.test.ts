import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { people } from '../../infra/order/people-rights.ts';
import { sentBy } from '../helpers/sent-commands.ts';
import { templateOf } from '../helpers/template.ts';

/** The action that each SDK command needs. */
const ACTIONS: Record<string, string[]> = {
  DescribeStacksCommand: ['cloudformation:DescribeStacks'],
  DeleteCommand: ['dynamodb:DeleteItem'],
  GetCommand: ['dynamodb:GetItem'],
  PutCommand: ['dynamodb:PutItem'],
  QueryCommand: ['dynamodb:Query'],
  ScanCommand: ['dynamodb:Scan'],
  UpdateCommand: ['dynamodb:UpdateItem'],
  DeleteObjectCommand: ['s3:DeleteObjectVersion'],
  ListObjectVersionsCommand: ['s3:ListBucketVersions'],
  GetObjectCommand: ['s3:GetObject', 's3:GetObjectVersion'],
  PutObjectCommand: ['s3:PutObject'],
  DescribeExecutionCommand: ['states:DescribeExecution'],
  StartExecutionCommand: ['states:StartExecution'],
  StopExecutionCommand: ['states:StopExecution'],
  ReceiveMessageCommand: ['sqs:ReceiveMessage'],
  ChangeMessageVisibilityCommand: ['sqs:ChangeMessageVisibility'],
  SendMessageCommand: ['sqs:SendMessage'],
  DeleteMessageCommand: ['sqs:DeleteMessage'],
};

/** The commands of each person, by the names of their files. */
const COMMANDS = {
  signer: ['sign'],
  'credit-desk': ['offers', 'confirm'],
  operator: [
    'list',
    'show',
    'retry',
    'resolve',
    'abort',
    'dismiss',
    'migrate',
    'stage/connection',
    'dead-letters',
    'stage/dead-letters',
  ],
  'data-protection': ['hold', 'erase', 'stage/order-data'],
} as const;

/** What the signer and the credit desk may do beyond their commands: without s3:ListBucket, S3 does not say that a file is missing. */
const LISTS = ['s3:ListBucket'];

/** What docs/operations.md asks of an operator beyond our commands, with the AWS CLI or in the console. */
const RUNBOOK: Record<string, string[]> = {
  "SQS's own redrive": ['sqs:GetQueueAttributes', 'sqs:StartMessageMoveTask', 'sqs:ListMessageMoveTasks'],
  'pages of an order in staging': ['s3:ListBucket', 's3:GetObject'],
  'logs of functions': ['logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:DescribeLogStreams'],
  'executions in the console': [
    'states:DescribeStateMachine',
    'states:ListExecutions',
    'states:DescribeExecution',
    'states:GetExecutionHistory',
  ],
  'the sweep and its schedule': ['lambda:InvokeFunction', 'scheduler:GetSchedule'],
  'new credentials': ['secretsmanager:PutSecretValue'],
  alarms: ['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeAlarmHistory'],
};

/** The actions of commands of the AWS CLI that are not named after their action. */
const CLI_ACTIONS: Record<string, string[]> = {
  's3 cp': ['s3:ListBucket', 's3:GetObject'],
  'lambda invoke': ['lambda:InvokeFunction'],
};

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
}
type Policy = { Properties: { ManagedPolicyName: string; PolicyDocument: { Statement: Statement[] } } };

const template = templateOf('prod');
const policies = Object.values(template.findResources('AWS::IAM::ManagedPolicy')) as Policy[];
const statementsOf = (person: string): Statement[] =>
  policies.find(({ Properties }) => Properties.ManagedPolicyName === `loan-orders-prod-${person}`)?.Properties
    .PolicyDocument.Statement ?? [];
const allowedTo = (person: string) => [
  ...new Set(
    statementsOf(person)
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap(({ Action }) => Action),
  ),
];

test('every person has a managed policy, whose ARN is an output', () => {
  expect(policies.map(({ Properties }) => Properties.ManagedPolicyName).sort()).toEqual(
    people.map((person) => `loan-orders-prod-${person}`).sort(),
  );
  const outputs = Object.keys(template.toJSON().Outputs).filter((name) => name.endsWith('Policy'));
  expect(outputs.sort()).toEqual([
    'AuditorPolicy',
    'BackOfficePolicy',
    'CreditDeskPolicy',
    'DataProtectionPolicy',
    'OperatorPolicy',
    'SignerPolicy',
  ]);
});

describe.each(Object.entries(COMMANDS))('%s', (person, names) => {
  const sent = [...sentBy(...names)];
  const needed = sent.map((command) => ACTIONS[command] ?? [command]);
  const allowed = allowedTo(person);

  test('has a permission for everything that the commands call', () => {
    expect(sent).toContain('DescribeStacksCommand');
    expect(sent.filter((_command, at) => !needed[at]?.some((action) => allowed.includes(action)))).toEqual([]);
  });

  test('has no permission that the commands do not need', () => {
    const more = person === 'operator' ? Object.values(RUNBOOK).flat() : LISTS;
    const taken = new Set([...needed.flat(), ...more]);
    expect(allowed.filter((action) => !taken.has(action))).toEqual([]);
  });
});

test('the commands of the operator call what the record, Step Functions and queues need', () => {
  expect([...sentBy(...COMMANDS.operator)].sort()).toEqual(
    [
      'ChangeMessageVisibilityCommand',
      'DeleteCommand',
      'DeleteMessageCommand',
      'DescribeExecutionCommand',
      'DescribeStacksCommand',
      'GetCommand',
      'PutCommand',
      'PutObjectCommand',
      'QueryCommand',
      'ReceiveMessageCommand',
      'ScanCommand',
      'SendMessageCommand',
      'StartExecutionCommand',
      'StopExecutionCommand',
      'UpdateCommand',
    ].sort(),
  );
});

describe('the operations page', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const found = (pattern: RegExp) => new Set([...page.matchAll(pattern)].map(([, name = '']) => name));

  test('asks for no command of the AWS CLI that the operator may not use', () => {
    const commands = [...found(/\baws ([a-z0-9]+ [a-z-]+)/g)];
    expect(commands.length).toBeGreaterThan(3);
    const allowed = allowedTo('operator');
    const needed = commands.flatMap((command) => CLI_ACTIONS[command] ?? [actionOf(command)]);
    expect(needed.filter((action) => !allowed.includes(action))).toEqual([]);
  });

  test('asks for nothing else that the operator may not do', () => {
    const allowed = allowedTo('operator');
    const missing = Object.entries(RUNBOOK).filter(([, actions]) => !actions.every((one) => allowed.includes(one)));
    expect(missing).toEqual([]);
  });

  test('names no command of ours that nobody has the rights for', () => {
    const commands: string[] = [...Object.values(COMMANDS).flat(), 'rule'];
    expect(
      [...found(/\bloan-orders (?:--stage \w+ )?([a-z]+(?:-[a-z]+)*)/g)].filter((one) => !commands.includes(one)),
    ).toEqual([]);
  });
});

/** `logs filter-log-events` is the action `logs:FilterLogEvents`. */
function actionOf(command: string): string {
  const [service = '', name = ''] = command.split(' ');
  return `${service}:${name.replaceAll(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase())}`;
}

test('the operator reads the pages of staging that the operations page names, and no document or offer', () => {
  const read = statementsOf('operator').find(({ Action }) => Action === 's3:GetObject');
  const patterns = JSON.stringify(read?.Resource).match(/(?<=\/orders\/\*\/)[^"]+/g);
  expect(patterns?.sort()).toEqual(
    ['choices.json', 'errors/*', 'issues.json', 'rejected.json', 'snapshot.json', 'status.json'].sort(),
  );
});

test("a person's policy is within the 6,144 characters of IAM", () => {
  for (const { Properties } of policies)
    expect(JSON.stringify(Properties.PolicyDocument).length, Properties.ManagedPolicyName).toBeLessThan(6_144);
});

/** Who may perform an action that matches. */
const whoMay = (actions: RegExp) => people.filter((person) => allowedTo(person).some((action) => actions.test(action)));

test('only the operator may change executions, only data protection may remove files, and it may read none', () => {
  expect(whoMay(/^states:(Start|Stop)/)).toEqual(['operator']);
  expect(whoMay(/^dynamodb:(Put|Update|Delete)/)).toEqual(['operator', 'data-protection']);
  expect(whoMay(/^s3:Delete/)).toEqual(['data-protection']);
  expect(whoMay(/^secretsmanager:/)).toEqual(['operator']);
  expect(whoMay(/^s3:GetObject/)).not.toContain('data-protection');
});

test('nobody may read the credentials, sign with the key, or change a bucket', () => {
  for (const person of people) {
    expect(allowedTo(person).filter((action) => /^(secretsmanager:Get|kms:Sign|s3:PutBucket)/.test(action))).toEqual(
      [],
    );
  }
});

test('the auditor may only read', () => {
  expect(
    allowedTo('auditor').filter((action) => !/:(Get|List|Describe|Query|Scan|Filter|StartQuery)/.test(action)),
  ).toEqual([]);
});

test('no right of a person names all actions or all resources', () => {
  for (const person of people) {
    for (const { Action, Resource } of statementsOf(person)) {
      for (const action of [Action].flat()) expect(action).not.toContain('*');
      expect([Resource].flat()).not.toContain('*');
    }
  }
});
