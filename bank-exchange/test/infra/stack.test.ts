import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { deployed } from '../../../test/helpers/deployed.ts';
import { annotationsOf } from '../../../test/helpers/template.ts';
import { exchangeStack, exchangeTemplate } from '../helpers/template.ts';

const prod = exchangeTemplate('prod');
const resources = (type: string) => Object.values(prod.findResources(type));

interface Statement {
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
}

const statements = () =>
  resources('AWS::IAM::Policy').flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Statement[]);

test('what the exchange stack of stage prod deploys, who may do what, and its state machine match the snapshot', async () => {
  const text = stringify(deployed(prod), { lineWidth: 0 });
  await expect(text).toMatchFileSnapshot('__snapshots__/LoanOrdersLegacy-prod.yaml');
});

test('two schedules start the exchange state machine, each at its own rate and with its own work', () => {
  const changed = exchangeTemplate('prod', undefined, { fetchRequestsEveryMinutes: 1, fetchInnsEveryMinutes: 90 });
  const schedules = Object.values(changed.findResources('AWS::Scheduler::Schedule'));
  const facts = schedules.map(({ Properties }) => [Properties.ScheduleExpression, Properties.Target.Input]);
  expect(facts).toEqual([
    ['rate(1 minute)', '{"work":"fetch-requests"}'],
    ['rate(90 minutes)', '{"work":"fetch-inns"}'],
  ]);
  prod.allResourcesProperties('AWS::Scheduler::Schedule', {
    State: 'ENABLED',
    Target: { DeadLetterConfig: Match.anyValue(), RetryPolicy: Match.anyValue() },
  });
});

test('no permission of the exchange names all resources or all actions', () => {
  expect(statements().length).toBeGreaterThan(20);
  const wide = statements().filter(({ Resource }) => Resource === '*');
  // Actions for vended logs cannot be limited to resources (CloudWatch Logs, "Logging from AWS services").
  expect(wide).toHaveLength(1);
  expect(wide.flatMap(({ Action }) => Action).filter((action) => !action.startsWith('logs:'))).toEqual([]);
  for (const { Action } of statements()) for (const action of [Action].flat()) expect(action).not.toContain('*');
});

test('only functions that call the bank exchange may read the credentials', () => {
  const readers = Object.entries(prod.findResources('AWS::IAM::Policy'))
    .filter(([, policy]) => JSON.stringify(policy).includes('secretsmanager:GetSecretValue'))
    .map(([id]) => id.replace(/^Functions|RoleDefaultPolicy.*$/g, ''));
  expect(readers.sort()).toEqual(
    ['LegacyFetchInns', 'LegacyFetchRequests', 'LegacyReturnOffers', 'LegacySendStatus'].sort(),
  );
});

test('only functions that fetch may publish events, and only under the source of the exchange', () => {
  const publishing = statements().filter(({ Action }) => [Action].flat().includes('events:PutEvents'));
  expect(publishing).toHaveLength(2);
  for (const { Condition } of publishing)
    expect(Condition).toEqual({
      'ForAllValues:StringEquals': { 'events:source': 'loan-orders.legacy' },
      Null: { 'events:source': 'false' },
    });
});

test('failed events of the exchange go to its dead-letter queue, from rules, functions and schedules', () => {
  prod.resourceCountIs('AWS::SQS::Queue', 1);
  prod.resourceCountIs('AWS::Lambda::EventInvokeConfig', 2);
  prod.allResourcesProperties('AWS::Lambda::EventInvokeConfig', { DestinationConfig: { OnFailure: Match.anyValue() } });
  prod.resourceCountIs('AWS::Events::Rule', 2);
  prod.allResourcesProperties('AWS::Events::Rule', {
    Targets: [Match.objectLike({ DeadLetterConfig: Match.anyValue(), RetryPolicy: Match.anyValue() })],
  });
});

test('names of alarms, functions, schedules and log groups contain the stage and the exchange', () => {
  prod.resourceCountIs('AWS::CloudWatch::Alarm', 3);
  const names = [
    ...resources('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties.AlarmName),
    ...resources('AWS::Lambda::Function').map(({ Properties }) => Properties.FunctionName),
    ...resources('AWS::Scheduler::Schedule').map(({ Properties }) => Properties.Name),
    ...resources('AWS::Logs::LogGroup').map(({ Properties }) => Properties.LogGroupName.replace(/^.*\//, '')),
  ];
  for (const name of names) expect(name).toMatch(/^loan-orders-prod-legacy/);
});

test('the exchange logs no execution data, and its data outlives the stack if the stage keeps data', () => {
  prod.hasResourceProperties('AWS::StepFunctions::StateMachine', {
    StateMachineType: 'STANDARD',
    LoggingConfiguration: { IncludeExecutionData: false, Level: 'ALL' },
  });
  for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret']) {
    prod.allResources(type, { DeletionPolicy: 'RetainExceptOnCreate' });
  }
});

test('the outputs of the exchange stack name what a bank needs', () => {
  expect(Object.keys(prod.toJSON().Outputs).sort()).toEqual(
    [
      'CredentialsSecret',
      'DeadLetterQueueUrl',
      'ExchangeStateMachine',
      'ExchangeTable',
      'IntakeBucket',
      'StagingBucket',
    ].sort(),
  );
});

test('a placeholder address of the exchange gives a warning with the name of its setting', () => {
  const warning = annotationsOf(exchangeStack('prod')).findWarning(
    '*',
    Match.stringLikeRegexp('Set its addresses in bank-exchange/infra/settings.ts'),
  );
  expect(warning).toHaveLength(1);
});
