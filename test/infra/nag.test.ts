import { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, test } from 'vitest';
import { acknowledge } from '../../infra/nag.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { appFor, checkedApp, failuresOf } from '../helpers/nag-findings.ts';

test('a finding fails the synth with its name until the construct acknowledges it', () => {
  const app = appFor();
  const queue = new Queue(new Stack(app, 'Checked'), 'Queue');
  acknowledge(queue, 'SQS3', 'Nothing of it matters here.');
  expect(failuresOf(app)).toEqual(['AwsSolutions::AwsSolutions-SQS4']);
});

const ENCRYPTION_KEY = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

const TOPIC = 'arn:aws:sns:eu-central-1:111122223333:on-call';

const CRM = 'arn:aws:iam::444455556666:role/crm';

const COPIES = {
  intake: 'arn:aws:s3:::copies-of-intake',
  staging: 'arn:aws:s3:::copies-of-staging',
  account: '444455556666',
  key: ENCRYPTION_KEY,
};

/** Settings that create other resources, or the same resources with other properties. */
const variants: [title: string, name: string, change: (stage: Stage) => Stage][] = [
  ['prod', 'prod', (stage) => stage],
  ['test', 'test', (stage) => stage],
  ['local', 'local', (stage) => stage],
  ['a given key', 'prod', (stage) => ({ ...stage, encryption: ENCRYPTION_KEY })],
  [
    'a network and a client certificate',
    'prod',
    (stage) => ({
      ...stage,
      network: { vpc: 'vpc-0a1b2c3d', subnets: ['subnet-0a1b2c3d'] },
      orderService: { ...stage.orderService, clientCertificate: true },
    }),
  ],
  ['a topic of the stack with a key of the stack', 'prod', (stage) => ({ ...stage, encryption: 'stack-key' })],
  [
    'a given topic, account and region',
    'prod',
    (stage) => ({
      ...stage,
      alarms: { ...stage.alarms, topicArn: TOPIC },
      account: '111122223333',
      region: 'eu-central-1',
    }),
  ],
  ['traces', 'prod', (stage) => ({ ...stage, tracing: { ...stage.tracing, xray: true } })],
  ['a restored table', 'prod', (stage) => ({ ...stage, existing: { table: 'orders-restored' } })],
  [
    'copies, and uploads from other accounts',
    'prod',
    (stage) => ({ ...stage, encryption: 'stack-key', copies: COPIES, uploads: { ...stage.uploads, packages: [CRM] } }),
  ],
];

test.each(variants)(
  'every finding is acknowledged, on one resource or role, and no acknowledgement is needless: %s',
  (_title, name, change) => {
    const stage = change(stageSettings(name));
    const { failures, found, needless, wide } = checkedApp(
      (app) => new OrderStack(app, `LoanOrders-${name}`, { stage }),
    );
    expect(failures).toEqual([]);
    expect(found.length).toBeGreaterThan(100);
    expect({ needless, wide }).toEqual({ needless: [], wide: [] });
  },
);
