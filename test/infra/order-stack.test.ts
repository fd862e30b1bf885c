import { readdirSync, readFileSync } from 'node:fs';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { expectedOutputs } from '../../commands/doctor/stack-checks.ts';
import sample from '../../functions/sweep-orders/event.json' with { type: 'json' };
import { deployedSettings } from '../../infra/deployed-settings.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { deployed } from '../helpers/deployed.ts';
import { functionsIn, orderStack, orderTemplate, templateOf, warningsOf } from '../helpers/template.ts';
import { creating, given, keyless } from '../helpers/variants.ts';

const prod = templateOf('prod');
const stages = ['test', 'prod', 'local'] as const;

interface Statement {
  Action: string | string[];
  Resource: unknown;
}

test('what the order stack of stage prod deploys, who may do what, and its state machine match the snapshot', async () => {
  await expect(stringify(deployed(prod), { lineWidth: 0 })).toMatchFileSnapshot('__snapshots__/LoanOrders-prod.yaml');
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
  for (const type of ['AWS::S3::Bucket', 'AWS::SecretsManager::Secret'])
    prod.allResources(type, { DeletionPolicy: 'RetainExceptOnCreate' });
});

test('a first deployment that fails rolls back, and what it leaves behind is not in the way of the next', () => {
  const { Resources } = orderTemplate('prod', creating).toJSON();
  const all = Object.values(Resources as Record<string, { DeletionPolicy?: string; Properties: object }>);
  const isKept = ({ DeletionPolicy }: (typeof all)[number]) => DeletionPolicy === 'Retain';
  const isProtected = ({ Properties }: (typeof all)[number]) => 'DeletionProtectionEnabled' in Properties;
  expect(all.filter(isProtected)).not.toEqual([]);
  expect(all.filter((one) => isProtected(one) && !isKept(one))).toEqual([]);
  const names = all.filter(isKept).flatMap(({ Properties }) => Object.keys(Properties));
  expect(names.filter((name) => name.endsWith('Name'))).toEqual([]);
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

const outputsOf = (change: (stage: Stage) => Stage): string[] =>
  Object.keys(orderTemplate('prod', change).toJSON().Outputs).sort();

test.each([
  ['as the settings are', (stage: Stage) => stage],
  ['with a given topic', keyless],
  ['with everything given', given],
  ['with everything', creating],
])('doctor looks for every output of a stack %s, and for no other', (_which, change) => {
  expect(expectedOutputs(deployedSettings(change(stageSettings('prod')))).sort()).toEqual(outputsOf(change));
});

test('what the commands must know of the settings is shorter than a parameter of CloudFormation may be, for any signers', () => {
  const signers = [...Array(50)].map((_, at) => `7707083893${at}`);
  const settings = deployedSettings(creating(stageSettings('prod')));
  const longest = JSON.stringify({ ...settings, signatures: { ...settings.signatures, signers } });
  expect(longest.length).toBeLessThan(4_096);
});

test('docs/deployment.md lists every output of a stack that has everything, and no other', () => {
  const page = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
  const table = page.split('## Outputs')[1]?.split('\n## ')[0] ?? '';
  const listed = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(
    ([, names = '']) => names.match(/(?<=`)\w+(?=`)/g) ?? [],
  );
  expect(listed.sort()).toEqual(outputsOf(creating));
});

/** The ARNs of these have a region, and an inline policy belongs to its role. All other names are those of the whole account, or of the world. */
const IN_A_REGION =
  /^AWS::(DynamoDB|EC2|Events|KMS|Lambda|Logs|SNS|SQS|Scheduler|SecretsManager|StepFunctions)::|^AWS::CloudWatch::Alarm$|^AWS::IAM::Policy$/;

type Resources = Record<string, { Type: string; Properties?: Record<string, unknown> }>;

function globalNames(resources: Resources): [string, unknown][] {
  return Object.entries(resources)
    .filter(([, { Type }]) => !IN_A_REGION.test(Type))
    .flatMap(([id, { Type, Properties = {} }]) => {
      const kind = Type.split('::').at(-1);
      const own = [`${kind}Name`, 'Name', 'ConfigurationName'].find((property) => property in Properties);
      return own ? [[id, Properties[own]] as [string, unknown]] : [];
    });
}

const hasRegion = ([, name]: [string, unknown]) => JSON.stringify(name).includes('AWS::Region');

test('the same stage in a second region of an account has no name in common with the first that the account has once', () => {
  const names = globalNames(orderTemplate('prod', creating).toJSON().Resources);
  // Eight policies for people, and the dashboard.
  expect(names).toHaveLength(9);
  expect(names.filter((name) => !hasRegion(name))).toEqual([]);
});

test.each(readdirSync(new URL('../../docs/events', import.meta.url)))('the recipe %s has none either', (file) => {
  const { Resources } = parse(readFileSync(new URL(`../../docs/events/${file}`, import.meta.url), 'utf8'));
  expect(globalNames(Resources).filter((name) => !hasRegion(name))).toEqual([]);
});

function keptDays(change: Partial<Stage['retention']>): string[] {
  const stack = orderStack('prod', (stage) => ({ ...stage, retention: { ...stage.retention, ...change } }));
  const sweep = functionsIn(stack).find(({ functionName }) => functionName === 'loan-orders-prod-sweep-orders');
  return Object.keys(stack.resolve(sweep?.environment).variables).filter((name) => name.startsWith('KEEP_'));
}

test('the sweep learns how long to keep data, and nothing where data is kept for ever', () => {
  expect(keptDays({}).sort()).toEqual(['KEEP_DOCUMENTS_DAYS', 'KEEP_RECORD_DAYS']);
  expect(keptDays({ recordDays: 'keep' })).toEqual(['KEEP_DOCUMENTS_DAYS']);
});

test('a legal hold of the stage stops the sweep, the expiry of old versions, and the command erase', () => {
  expect(keptDays({ legalHold: true })).toEqual([]);
  const template = orderTemplate('prod', given);
  template.hasOutput('LegalHold', { Value: 'true' });
  const expiring = { LifecycleConfiguration: { Rules: Match.arrayWith([Match.objectLike({ Id: 'history' })]) } };
  template.resourcePropertiesCountIs('AWS::S3::Bucket', expiring, 0);
  templateOf('prod').resourcePropertiesCountIs('AWS::S3::Bucket', expiring, 1);
});

const queueOf = (name: string, kind: 'events' | 'dead-letters') => {
  const found = prod.findResources('AWS::SQS::Queue', {
    Properties: { QueueName: `loan-orders-prod-${name}-${kind}` },
  });
  const [[id = '', { Properties = {} } = {}] = []] = Object.entries(found);
  return { arn: { 'Fn::GetAtt': [id, 'Arn'] }, properties: Properties, id };
};
const QUEUED = ['check-package', 'receive-upload', 'record-end'];

test.each(QUEUED)(
  'events reach %s through a queue that tries for more than a day before its dead-letter queue',
  (name) => {
    const { arn, properties } = queueOf(name, 'events');
    const letters = queueOf(name, 'dead-letters');
    const { VisibilityTimeout: visibility, RedrivePolicy: redrive } = properties;
    expect(redrive.deadLetterTargetArn).toEqual(letters.arn);
    const [target] = Object.values(
      prod.findResources('AWS::Lambda::Function', { Properties: { FunctionName: `loan-orders-prod-${name}` } }),
    );
    expect(visibility).toBe(6 * target?.Properties.Timeout);
    expect(visibility * redrive.maxReceiveCount).toBeGreaterThan(24 * 3_600);
    for (const queue of [properties, letters.properties]) expect(queue.MessageRetentionPeriod).toBe(14 * 86_400);
    prod.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: arn,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
    prod.hasResourceProperties('AWS::Events::Rule', {
      Targets: [Match.objectLike({ Arn: arn, DeadLetterConfig: { Arn: letters.arn }, RetryPolicy: Match.anyValue() })],
    });
  },
);

test.each(QUEUED.flatMap((name) => [[name, 'events'] as const, [name, 'dead-letters'] as const]))(
  'only its rule may send to the queue of %s for %s, and only with TLS',
  (name, kind) => {
    const { id, arn } = queueOf(name, kind);
    const policies = Object.values(
      prod.findResources('AWS::SQS::QueuePolicy', { Properties: { Queues: [{ Ref: id }] } }),
    );
    const [rule] = Object.entries(prod.findResources('AWS::Events::Rule')).filter(([, { Properties }]) =>
      JSON.stringify(Properties.Targets).includes(id),
    );
    expect(policies.map(({ Properties }) => Properties.PolicyDocument.Statement)).toEqual([
      [
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        {
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Resource: arn,
          Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [rule?.[0], 'Arn'] } } },
        },
      ],
    ]);
    const mayBeSentTo = (policy: string) => policy.includes('sqs:SendMessage') && policy.includes(JSON.stringify(arn));
    const statements = Object.values(prod.findResources('AWS::IAM::Policy')).flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement as object[],
    );
    expect(statements.map((one) => JSON.stringify(one)).filter(mayBeSentTo)).toEqual([]);
  },
);

test('only the sweep is invoked asynchronously, and its failures go to the dead-letter queue of the stage', () => {
  prod.resourceCountIs('AWS::SQS::Queue', 7);
  prod.resourceCountIs('AWS::Lambda::EventInvokeConfig', 1);
  prod.allResourcesProperties('AWS::Lambda::EventInvokeConfig', { DestinationConfig: { OnFailure: Match.anyValue() } });
  prod.resourceCountIs('AWS::Events::Rule', 3);
});

test('the sweep runs at the rate of the stage with the input of its sample, and the scheduler may invoke nothing else', () => {
  prod.hasResourceProperties('AWS::Scheduler::Schedule', {
    Name: 'loan-orders-prod-sweep',
    ScheduleExpression: 'rate(5 minutes)',
    Target: {
      Input: JSON.stringify(sample),
      RetryPolicy: { MaximumEventAgeInSeconds: 300 },
      DeadLetterConfig: Match.anyValue(),
    },
  });
  prod.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: [
        { Action: 'lambda:InvokeFunction', Resource: { 'Fn::GetAtt': [Match.stringLikeRegexp('Sweep'), 'Arn'] } },
        { Action: 'sqs:SendMessage' },
      ],
    },
  });
});
