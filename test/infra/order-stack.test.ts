import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { deployed } from '../helpers/deployed.ts';
import { orderStack, templateOf, warningsOf } from '../helpers/template.ts';
import { creating } from '../helpers/variants.ts';

const prod = templateOf('prod');
const stages = ['test', 'prod', 'local'] as const;

interface Statement {
  Action: string | string[];
  Resource: unknown;
}

test('what the order stack of stage prod deploys, who may do what, and its state machine match the snapshot', async () => {
  const text = stringify(deployed(prod), { lineWidth: 0 });
  await expect(text).toMatchFileSnapshot('__snapshots__/LoanOrders-prod.yaml');
});

test.each(stages)('the stage %s has the same resources as the others, except for keys and a topic', (stage) => {
  const types = (template: Template) =>
    Object.values(template.toJSON().Resources as Record<string, { Type: string }>)
      .map(({ Type }) => Type)
      .filter((type) => !/^AWS::(KMS|SNS)::/.test(type));
  // With the key for evidence comes the policy of who may sign with it.
  const more = templateOf(stage).toJSON().Outputs.EvidenceKey ? ['AWS::IAM::ManagedPolicy'] : [];
  expect(types(templateOf(stage)).sort()).toEqual([...types(prod), ...more].sort());
});

test('the order table is on demand, has point-in-time recovery, and is protected if the stage keeps data', () => {
  prod.hasResourceProperties('AWS::DynamoDB::Table', {
    BillingMode: 'PAY_PER_REQUEST',
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    SSESpecification: { SSEEnabled: true },
    DeletionProtectionEnabled: true,
  });
  for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret']) {
    prod.allResources(type, { DeletionPolicy: 'RetainExceptOnCreate' });
  }
});

test('every function runs on Node 24 and arm64, with its own log group that expires', () => {
  prod.resourceCountIs('AWS::Lambda::Function', 14);
  prod.allResourcesProperties('AWS::Lambda::Function', {
    Runtime: 'nodejs24.x',
    Architectures: ['arm64'],
    LoggingConfig: { LogGroup: Match.anyValue() },
    Environment: { Variables: { NODE_OPTIONS: '--enable-source-maps' } },
  });
  prod.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 });
  prod.resourceCountIs('AWS::Logs::LogGroup', 15);
});

test('the state machine is Standard and logs without execution data', () => {
  prod.hasResourceProperties('AWS::StepFunctions::StateMachine', {
    StateMachineType: 'STANDARD',
    LoggingConfiguration: { IncludeExecutionData: false, Level: 'ALL' },
  });
});

test('no permission of the order stack names all resources or all actions', () => {
  const policies = Object.values(prod.findResources('AWS::IAM::Policy'));
  const statements = policies.flatMap((policy) => policy.Properties.PolicyDocument.Statement as Statement[]);
  expect(statements.length).toBeGreaterThan(20);
  const wide = statements.filter(({ Resource }) => Resource === '*');
  // Actions for vended logs cannot be limited to resources (CloudWatch Logs, "Logging from AWS services").
  expect(wide).toHaveLength(1);
  const actions = wide.flatMap(({ Action }) => Action);
  expect(actions.filter((action) => !action.startsWith('logs:'))).toEqual([]);
  for (const { Action } of statements) for (const action of [Action].flat()) expect(action).not.toContain('*');
});

test("the template has no value for the secret, so a deployment cannot overwrite the partner's value", () => {
  const [secret] = Object.values(prod.findResources('AWS::SecretsManager::Secret'));
  expect(Object.keys(secret?.Properties).sort()).toEqual(
    ['Description', 'Name', 'Tags'].filter((name) => name in (secret?.Properties ?? {})),
  );
});

test('a placeholder address gives a warning, and a real address gives none', () => {
  const warnings = (change?: typeof creating) =>
    warningsOf(orderStack('prod', change)).filter((text) => text.includes('placeholder address'));
  expect(warnings()).toHaveLength(1);
  expect(warnings(creating)).toEqual([]);
});
