import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { NagPack } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LegacyStack } from '../../bank-exchange/infra/stack.ts';
import cdk from '../../cdk.json' with { type: 'json' };
import { acknowledge, acknowledgeNist, checkWithNag } from '../../infra/nag.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { type Stage, type StageName, stageSettings } from '../../infra/stages.ts';
import { withoutTraces } from '../helpers/template.ts';

function appFor(context: Record<string, unknown> = {}): App {
  const outdir = mkdtempSync(join(tmpdir(), 'nag-'));
  onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
  return new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false, context });
}

/** The findings that fail the synth of an app, by name. */
function failuresOf(app: App): string[] {
  checkWithNag(app);
  try {
    app.synth();
    return [];
  } catch (error) {
    const { message } = error as Error;
    return [...new Set(message.match(/(?<=')(?:AwsSolutions|NIST\.800\.53\.R5)::[^']*/g) ?? [message])].sort();
  }
}

/** The failures of a synth with a queue that has no dead-letter queue and accepts plain HTTP. */
function queueFailures(...acknowledged: string[]): string[] {
  const app = appFor();
  const queue = new Queue(new Stack(app, 'Checked'), 'Queue');
  for (const finding of acknowledged) acknowledge(queue, finding, 'Nothing of it matters here.');
  return failuresOf(app);
}

test('a cdk-nag finding fails the synth with its name', () => {
  expect(queueFailures()).toEqual(['AwsSolutions::AwsSolutions-SQS3', 'AwsSolutions::AwsSolutions-SQS4']);
});

test('only the cdk-nag findings that a construct acknowledges are accepted', () => {
  expect(queueFailures('SQS3')).toEqual(['AwsSolutions::AwsSolutions-SQS4']);
  expect(queueFailures('SQS3', 'SQS4')).toEqual([]);
});

test('a finding of the NIST 800-53 rules fails the synth until the construct acknowledges it', () => {
  const app = appFor();
  const bucket = new Bucket(new Stack(app, 'Checked'), 'Bucket');
  acknowledgeNist(bucket, 'S3BucketReplicationEnabled', 'Nothing of it matters here.');
  const failures = failuresOf(app);
  expect(failures).toContain('NIST.800.53.R5::NIST.800.53.R5-S3DefaultEncryptionKMS');
  expect(failures).not.toContain('NIST.800.53.R5::NIST.800.53.R5-S3BucketReplicationEnabled');
});

const ENCRYPTION_KEY = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

function withCertificates({ orderService, legacyExchange, ...stage }: Stage): Stage {
  const clientCertificate = true;
  return {
    ...stage,
    orderService: { ...orderService, clientCertificate },
    legacyExchange: { ...legacyExchange, clientCertificate },
  };
}

const TOPIC = 'arn:aws:sns:eu-central-1:111122223333:on-call';

/** Settings that create other resources, or the same resources with other properties. */
const variants: [string, StageName, (stage: Stage) => Stage][] = [
  ['prod', 'prod', (stage) => stage],
  ['test', 'test', (stage) => stage],
  ['local', 'local', (stage) => stage],
  ['a key of the stack', 'prod', (stage) => ({ ...stage, encryption: 'stack-key' })],
  ['a given key', 'prod', (stage) => ({ ...stage, encryption: ENCRYPTION_KEY })],
  ['a network', 'prod', (stage) => ({ ...stage, network: { vpc: 'vpc-0a1b2c3d', subnets: ['subnet-0a1b2c3d'] } })],
  ['client certificates', 'prod', withCertificates],
  ['a topic of the stack', 'prod', (stage) => ({ ...stage, alarms: { ...stage.alarms, createTopic: true } })],
  [
    'a topic of the stack with a key of the stack',
    'prod',
    (stage) => ({ ...stage, encryption: 'stack-key', alarms: { ...stage.alarms, createTopic: true } }),
  ],
  ['a given topic', 'prod', (stage) => ({ ...stage, alarms: { ...stage.alarms, topicArn: TOPIC } })],
  ['account and region', 'prod', (stage) => ({ ...stage, account: '111122223333', region: 'eu-central-1' })],
];

function appOf(name: StageName, change: (stage: Stage) => Stage): App {
  const app = appFor({ ...cdk.context, 'aws:cdk:bundling-stacks': [] });
  const stage = change(stageSettings(name));

  new OrderStack(app, `LoanOrders-${name}`, { stage });
  new LegacyStack(app, `LoanOrdersLegacy-${name}`, { stage });
  return app;
}

interface Checked {
  app: App;
  /** The findings that fail its synth. */
  failures: string[];
  /** Everything that both packs find, acknowledged or not: the finding's name and the path of the resource. */
  found: { finding: string; path: string }[];
}

const checked = new Map<string, Checked>();

/** The app of a variant, which is synthesized and checked once for all tests. */
function checkedApp([title, name, change]: (typeof variants)[number]): Checked {
  const known = checked.get(title);
  if (known) return known;
  const { validateScope } = NagPack.prototype;
  const found: Checked['found'] = [];
  // Noted at once, because the CDK takes what is acknowledged out of the report.
  const look = vi.spyOn(NagPack.prototype, 'validateScope').mockImplementation(function (this: NagPack, scope) {
    const report = validateScope.call(this, scope);
    for (const { ruleName, violatingResources } of report.violations) {
      found.push(...violatingResources.map(({ constructPath = '' }) => ({ finding: ruleName, path: constructPath })));
    }
    return report;
  });
  onTestFinished(() => look.mockRestore());
  const made = withoutTraces(() => {
    const app = appOf(name, change);
    return { app, failures: failuresOf(app) };
  });
  const one = { ...made, found };
  checked.set(title, one);
  return one;
}

test.each(variants)('both stacks have no unacknowledged finding: %s', (...variant) => {
  expect(checkedApp(variant).failures).toEqual([]);
});

/** Every acknowledgement: the finding's full name and the path of the construct. */
function acknowledgements(app: App): { id: string; path: string }[] {
  return app.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data as object).map((id) => ({ id, path: node.path }))),
    );
}

test.each(variants)('every acknowledgement accepts a finding that exists: %s', (...variant) => {
  const { app, found } = checkedApp(variant);
  expect(found.length).toBeGreaterThan(100);
  const needless = acknowledgements(app).filter(
    ({ path, id }) =>
      !found.some((one) => id.endsWith(`::${one.finding}`) && (one.path === path || one.path.startsWith(`${path}/`))),
  );
  expect(needless).toEqual([]);
});

test.each(variants)('every acknowledgement is on one resource or role, never on a stack: %s', (...variant) => {
  const { app } = checkedApp(variant);
  const places = new Map(app.node.findAll().map((construct) => [construct.node.path, construct]));
  const resourcesBelow = (construct: IConstruct) => construct.node.findAll().filter(CfnResource.isCfnResource).length;
  const wide = acknowledgements(app).filter(({ path }) => {
    const construct = places.get(path);
    return construct === undefined || Stack.isStack(construct) || resourcesBelow(construct) > 3;
  });
  expect(wide).toEqual([]);
});
