import { readFileSync } from 'node:fs';
import { hasResourceType } from '@business-loan-orders/embedded-aws';
import { describe, expect, test } from 'vitest';
import { people } from '../../infra/order/people-rights.ts';
import { ACTIONS_OF_COMMANDS, rightsRules, statementsByFunction } from '../helpers/function-rights.ts';
import { sentBy, sentCommands } from '../helpers/sent-commands.ts';
import { orderTemplate, templateOf } from '../helpers/template.ts';
import { creating } from '../helpers/variants.ts';
import { allowedTo, COMMANDS, personOf, policies, RUNBOOK, statementsOf, template } from './people-policies.ts';

const rights = statementsByFunction(templateOf('local'), 'loan-orders-local-');
describe('every function', () => {
  rightsRules(rights, sentCommands('functions'));
});

const resourcesOf = (name: string, action: string) =>
  (rights.find((one) => one.name === name)?.statements ?? [])
    .filter(({ actions }) => actions.includes(action))
    .map(({ resource }) => resource)
    .join();

test.each(['await-signatures', 'sign-documents', 'upload-signature', 'receive-upload'])(
  '%s may read the current signatures in intake, but not chosen versions',
  (name) => {
    expect(resourcesOf(name, 's3:GetObject')).toContain('/signatures/*');
    expect(resourcesOf(name, 's3:GetObjectVersion')).not.toContain('/signatures/*');
  },
);

test('check-package may read packages and documents, but not signatures or decisions', () => {
  const read = resourcesOf('check-package', 's3:GetObject');
  expect(read).toContain('/orders/*/order.json');
  expect(read).toContain('/orders/*/documents/*');
  expect(read).not.toContain('/orders/*/*"');
  const versions = resourcesOf('check-package', 's3:GetObjectVersion');
  expect(versions).toContain('/orders/*/order.json"');
  expect(versions).not.toMatch(/documents|signatures|decision/);
});

test('sign-documents may not write the pages that answer a signer', () => {
  const written = resourcesOf('sign-documents', 's3:PutObject');
  expect(written).toContain('/signatures/*');
  expect(written).not.toMatch(/signatures-(rejected|unchecked)/);
});

/** The actions of each command. A person needs one of them. */
const ACTIONS: Record<string, string[]> = {
  ...ACTIONS_OF_COMMANDS,
  // Everybody may ask who he is (IAM, GetCallerIdentity).
  GetCallerIdentityCommand: [],
  DescribeAlarmsCommand: ['cloudwatch:DescribeAlarms'],
  GetTopicAttributesCommand: ['sns:GetTopicAttributes'],
  GetAccountSettingsCommand: ['lambda:GetAccountSettings'],
  ListStackResourcesCommand: ['cloudformation:ListStackResources'],
  DescribeStacksCommand: ['cloudformation:DescribeStacks'],
  ScanCommand: ['dynamodb:Scan'],
  StopExecutionCommand: ['states:StopExecution'],
  ReceiveMessageCommand: ['sqs:ReceiveMessage'],
  ChangeMessageVisibilityCommand: ['sqs:ChangeMessageVisibility'],
  SendMessageCommand: ['sqs:SendMessage'],
  DeleteMessageCommand: ['sqs:DeleteMessage'],
  GetQueueAttributesCommand: ['sqs:GetQueueAttributes'],
  DescribeSecretCommand: ['secretsmanager:DescribeSecret'],
};

/** What `doctor` tries: nobody may read a secret. What it asks of buckets and a table only where the stack did not create them. */
const TRIED = [
  'GetSecretValueCommand',
  'GetBucketVersioningCommand',
  'GetBucketNotificationConfigurationCommand',
  'DescribeTableCommand',
  'DescribeContinuousBackupsCommand',
];

const isDenied = (actions: string[] = [], allowed: string[]) =>
  actions.length > 0 && !actions.some((action) => allowed.includes(action));

/** What the signer and the credit desk may do beyond their commands: without s3:ListBucket, S3 does not say that a file is missing. */
const LISTS = ['s3:ListBucket'];

test('docs/pipeline.md lists the services whose actions a deployment needs', () => {
  const types = Object.values(orderTemplate('prod', creating).toJSON().Resources as Record<string, { Type: string }>);
  const services = types.map(({ Type }) => Type.split('::')[1]?.toLowerCase().replace('stepfunctions', 'states') ?? '');
  const page = readFileSync(new URL('../../docs/pipeline.md', import.meta.url), 'utf8');
  const listed = /A\s+stage needs all actions of (.*) and `ssm/s.exec(page)?.[1]?.match(/(?<=`)[a-z0-9]+(?=`)/g) ?? [];
  expect(listed.filter((service) => service !== 'network').sort()).toEqual([...new Set(services)].sort());
});

test('every person has a managed policy, whose ARN is an output', () => {
  expect(policies.map(personOf).sort()).toEqual([...people, 'operator'].sort());
  const outputs = Object.keys(template.toJSON().Outputs).filter((name) => name.endsWith('Policy'));
  const named = ['Auditor', 'BackOffice', 'CreditDesk', 'DataProtection', 'Operator', 'OperatorStage', 'Signer'];
  expect(outputs.sort()).toEqual(named.map((name) => `${name}Policy`));
});

// IAM has no operation for a change, and the policies have fixed names: CloudFormation could neither update nor replace them.
test('no description of a policy has changed since it was deployed', () => {
  expect(policies.map(({ Properties: { Description } }) => Description)).toEqual([
    'Uploads order packages and reads what became of them',
    'Reads the documents to sign and uploads signatures; may not upload packages',
    'Reads the offers and uploads decisions; may not upload packages',
    'Inspects and repairs orders with the command line',
    'Erases orders that are over, and puts orders on hold; may not read files',
    'Reads everything about orders, except the credentials',
    'Looks after the stage: doctor, logs, queues, alarms. Attach it beside the operator',
  ]);
});

describe.each(Object.entries(COMMANDS))('%s', (person, names) => {
  const sent = [...sentBy(...names)].filter((command) => !TRIED.includes(command));
  const needed = sent.map((command) => ACTIONS[command] ?? [command]);
  const allowed = allowedTo(person);

  test('has a permission for everything that the commands call', () => {
    expect(sent).toContain('DescribeStacksCommand');
    expect(sent.filter((_command, at) => isDenied(needed[at], allowed))).toEqual([]);
  });

  test('has no permission that the commands do not need', () => {
    const more = person === 'operator' ? Object.values(RUNBOOK).flat() : LISTS;
    const taken = new Set([...needed.flat(), ...more]);
    expect(allowed.filter((action) => !taken.has(action))).toEqual([]);
  });
});

test('the auditor may only read, and do all that evidence, replay, list and show call, except to use the key of the stage', () => {
  const KEY = ['GetPublicKeyCommand', 'SignCommand'];
  const commands = ['evidence', 'evidence/signatures', 'replay', 'shared/pause', 'list', 'show'];
  const sent = [...sentBy(...commands)];
  expect(sent).toEqual(expect.arrayContaining(['GetObjectCommand', 'ListObjectVersionsCommand', ...KEY]));
  const allowed = allowedTo('auditor');
  const needed = sent.filter((command) => !KEY.includes(command)).flatMap((command) => ACTIONS[command] ?? [command]);
  expect(needed.filter((action) => !allowed.includes(action))).toEqual([]);
  const reads = /:(Get|BatchGet|List|Describe|Query|Scan|Filter|StartQuery)/;
  expect(allowed.filter((action) => !reads.test(action))).toEqual([]);
});

const whoMay = (actions: RegExp) => people.filter((person) => allowedTo(person).some((action) => actions.test(action)));

test('only the operator may change executions, only data protection may remove files, and it may read none', () => {
  expect(whoMay(/^states:(Start|Stop)/)).toEqual(['operator']);
  expect(whoMay(/^dynamodb:(Put|Update|Delete)/)).toEqual(['operator', 'data-protection']);
  expect(whoMay(/^s3:Delete/)).toEqual(['data-protection']);
  expect(whoMay(/^secretsmanager:/)).toEqual(['operator']);
  expect(whoMay(/^s3:GetObject/)).not.toContain('data-protection');
});

test('everybody may read whether the stage is paused, and only the operator and the auditor any other item', () => {
  const reads = (person: string) =>
    statementsOf(person).filter(({ Action }) => [Action].flat().includes('dynamodb:GetItem'));
  const isOfStage = ({ Condition }: { Condition?: unknown }) =>
    JSON.stringify(Condition) === '{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["#stage"]}}';
  for (const person of people) expect(reads(person), person).toHaveLength(1);
  expect(people.filter((person) => !reads(person).every(isOfStage))).toEqual(['operator', 'auditor']);
});

test('nobody may read the credentials, sign with the key, or change a bucket', () => {
  const forbidden = /^(secretsmanager:Get|kms:Sign|s3:PutBucket)/;
  expect(people.flatMap(allowedTo).filter((action) => forbidden.test(action))).toEqual([]);
});

test('the embedded AWS knows what each action of a person is for, so it refuses a permission that AWS would not grant', () => {
  expect(people.flatMap(allowedTo).filter((action) => !hasResourceType(action))).toEqual([]);
});

/** A request names no resource. */
const ONLY_FOR_ALL = [
  'logs:GetQueryResults',
  'logs:DescribeQueryDefinitions',
  'logs:DescribeLogGroups',
  'states:ListStateMachines',
  'lambda:GetAccountSettings',
];

test('no right of a person names all actions, and none but those whose requests name no resource name all resources', () => {
  for (const person of people) {
    for (const { Action, Resource } of statementsOf(person)) {
      const actions = [Action].flat();
      for (const action of actions) expect(action).not.toContain('*');
      if (!actions.every((action) => ONLY_FOR_ALL.includes(action))) expect([Resource].flat()).not.toContain('*');
    }
  }
});
