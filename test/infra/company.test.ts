import { type App, type AppProps, CfnResource, TagManager } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { createApp } from '../../infra/app.ts';
import type { OrderStack } from '../../infra/order/stack.ts';
import { stagesWith } from '../helpers/stage-files.ts';

const orderService = { baseUrl: 'https://orders.bank.ru', authorizationUrl: 'https://login.bank.ru' };
const KEY = '@aws-cdk/core:permissionsBoundary';
const ARN = 'arn:aws:iam::111122223333:policy/bounds/loan-orders';

/** The app of a stage with these settings and this context, as `-c` gives it. */
function appWith(settings: object, context: Record<string, unknown> = {}): App {
  const stages = stagesWith({ 'retail.json': { orderService, alarms: { email: 'ops@partner.ru' }, ...settings } });
  const all = { ...cdk.context, 'aws:cdk:bundling-stacks': [], stage: 'retail', stages, ...context };
  return createApp({ context: all, analyticsReporting: false } satisfies AppProps);
}
const stackIn = (app: App) => app.node.findChild('LoanOrders-retail') as OrderStack;

test.each<[title: string, settings: object, context: unknown, boundary: unknown]>([
  ['its ARN in the settings', { permissionsBoundary: ARN }, undefined, ARN],
  ['its name in the settings', { permissionsBoundary: 'bounds' }, undefined, expect.anything()],
  ['its ARN after -c', {}, ARN, ARN],
  ['its name after -c', {}, 'bounds', expect.anything()],
  ['JSON after -c', {}, JSON.stringify({ arn: ARN }), ARN],
  ['an object in cdk.json, before the settings', { permissionsBoundary: 'other' }, { arn: ARN }, ARN],
])('every role has the permissions boundary of %s', (_title, settings, context, boundary) => {
  const roles = Template.fromStack(stackIn(appWith(settings, { [KEY]: context }))).findResources('AWS::IAM::Role');
  expect(Object.keys(roles)).toHaveLength(16);
  for (const { Properties } of Object.values(roles)) expect(Properties.PermissionsBoundary).toEqual(boundary);
});

test.each(['{"policy":"bounds"}', '{', 'a b'])('the permissions boundary -c %s is refused', (context) => {
  expect(() => appWith({}, { [KEY]: context })).toThrow(`-c ${KEY}=… must be the ARN or the name of a managed policy.`);
});

test('the bootstrap qualifier is that of the settings or, before it, that of the context', () => {
  const qualifierOf = (...given: Parameters<typeof appWith>) =>
    stackIn(appWith(...given)).synthesizer.bootstrapQualifier;
  expect(qualifierOf({})).toBe('hnb659fds');
  expect(qualifierOf({ bootstrapQualifier: 'ours' })).toBe('ours');
  expect(qualifierOf({ bootstrapQualifier: 'ours' }, { '@aws-cdk/core:bootstrapQualifier': 'theirs' })).toBe('theirs');
});

test('every resource that can have tags, and the stack, have those of the settings', () => {
  const tags = { 'cost-centre': '4711', project: 'lending' };
  const stack = stackIn(appWith({ tags }));
  // The tags of resources are there once the app is synthesized.
  Template.fromStack(stack);
  const all = { ...tags, stage: 'retail' };
  expect(stack.tags.tagValues()).toEqual(all);
  const resources = stack.node.findAll().filter(CfnResource.isCfnResource);
  const taggable = resources.filter((one) => TagManager.isTaggable(one) || TagManager.isTaggableV2(one));
  expect(taggable.length).toBeGreaterThan(60);
  const missing = taggable.filter((one) => {
    const tagged = TagManager.of(one)?.tagValues() ?? {};
    return !Object.entries(all).every(([key, value]) => tagged[key] === value);
  });
  // cfn-lint refuses tags of a dashboard. It gets those of the stack.
  expect(missing.map(({ cfnResourceType }) => cfnResourceType)).toEqual(['AWS::CloudWatch::Dashboard']);
});

test('every name begins with the prefix', () => {
  const stack = stackIn(appWith({ namePrefix: 'acme' }));
  expect(stack.stackName).toBe('acme-LoanOrders-retail');
  const names = Object.values(Template.fromStack(stack).toJSON().Resources as Record<string, { Properties?: object }>)
    .flatMap(({ Properties = {} }) => Object.entries(Properties))
    .filter(([property]) => /^(\w*Name)$/.test(property))
    .map(([, name]) => JSON.stringify(name));
  const ours = names.filter((name) => name.includes('loan-orders'));
  expect(ours.length).toBeGreaterThan(50);
  expect(ours.filter((name) => !name.includes('acme-loan-orders-retail'))).toEqual([]);
});

test('given buckets are used and not created, and an operator may see whether they have what the stage needs', () => {
  const template = Template.fromStack(stackIn(appWith({ buckets: { intake: 'ours-in', staging: 'ours-out' } })));
  template.resourceCountIs('AWS::S3::Bucket', 0);
  template.hasOutput('IntakeBucket', { Value: 'ours-in' });
  template.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: { detail: { bucket: { name: ['ours-in'] } } },
  });
  const text = JSON.stringify(template.findResources('AWS::IAM::ManagedPolicy'));
  expect(text).toContain('s3:GetBucketNotification');
  expect(text).toContain(':s3:::ours-out');
});
