import { App, CfnElement, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { Construct } from 'constructs';
import { expect, test, vi } from 'vitest';
import { createApp } from '../../infra/app.ts';
import featureFlags from '../../infra/feature-flags.json' with { type: 'json' };
import { LoanOrders, type OrderStack, type StageSettings } from '../../infra/index.ts';
import { stagesWith } from '../helpers/stage-files.ts';

const orderService = { baseUrl: 'https://orders.shop.ru', authorizationUrl: 'https://login.shop.ru' };
const settings = {
  orderService,
  stackName: 'Platform',
  encryption: 'stack-key',
  permissionsBoundary: 'bounds',
  signing: { key: { create: 'ECC_NIST_P256' } },
  network: { vpc: 'vpc-0a1b2c3d', subnets: ['subnet-0a1b2c3d'] },
  tags: { 'cost-centre': '4711' },
} as const satisfies Omit<StageSettings, 'name'>;

const withoutCode = { 'aws:cdk:bundling-stacks': [], stage: 'shop' };

/** The opposite of our flags, but for one that the CDK applies to all policies of a stack at once, and that `cdk init` sets. */
const THEIRS = {
  ...Object.fromEntries(Object.entries(featureFlags).map(([flag, value]) => [flag, value === false])),
  ...withoutCode,
  '@aws-cdk/aws-iam:minimizePolicies': true,
};

/** The resources and outputs below a construct, with the paths of elements in place of their logical ids. */
function contents(home: Construct): unknown {
  const elements = home.node.findAll().filter((one) => CfnElement.isCfnElement(one));
  const paths = new Map(
    elements.map(({ stack, logicalId, node }) => [stack.resolve(logicalId), node.path.slice(home.node.path.length)]),
  );
  const { Resources, Outputs } = Template.fromStack(Stack.of(home)).toJSON();
  // The release is a hash of the environment of functions, which refers to logical ids.
  paths.set(Outputs.Release.Value, 'release');
  const text = JSON.stringify({ Resources, Outputs }).replaceAll(/\w+/g, (word) => paths.get(word) ?? word);
  return JSON.parse(text);
}

function construct(given: string | StageSettings, stackName = 'Platform') {
  const app = new App({ context: THEIRS, builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'Theirs', { stackName });
  return new LoanOrders(stack, 'Orders', { stage: given });
}

test('LoanOrders in a stack of somebody else, is the stack of the stage but for logical ids', () => {
  const stages = stagesWith({ 'shop.json': settings });
  const app = createApp({ context: { ...withoutCode, stages } });
  const own = app.node.findChild('LoanOrders-shop') as OrderStack;
  const theirs = construct({ name: 'shop', ...settings });
  expect(contents(theirs)).toEqual(contents(own));
  const { intakeBucket, stagingBucket, eventBus, alarmTopic, stateMachine } = theirs;
  const names = [intakeBucket.bucketName, stagingBucket.bucketName, eventBus.eventBusName, alarmTopic?.topicName];
  expect([...names, stateMachine.stateMachineName]).not.toContain(undefined);
  const more = () => new LoanOrders(Stack.of(theirs), 'More', { stage: { name: 'more', ...settings } });
  expect(more).toThrow('the second in its stack');
});

test('LoanOrders refuses settings and stacks by which commands would not find the stage, in one sentence', () => {
  expect(() => construct({ name: 'shop', ...settings }, 'Other')).toThrow(
    'Stage shop is in the stack Other, but its settings name Platform: set stackName, by which commands find it.',
  );
  expect(() =>
    construct({ name: 'shop', orderService: { ...orderService, baseUrl: 'http://orders.shop.ru' } }),
  ).toThrow('the settings of shop: orderService.baseUrl is "http://orders.shop.ru", but must start with https://');
  vi.stubEnv('CDK_DEFAULT_REGION', 'eu-central-1');
  vi.stubEnv('CDK_DEFAULT_ACCOUNT', '111122223333');
  const elsewhere = () => construct({ name: 'shop', ...settings, region: 'eu-west-1' });
  expect(elsewhere).toThrow('Stage shop belongs to region eu-west-1, but its stack to eu-central-1: give');
});
