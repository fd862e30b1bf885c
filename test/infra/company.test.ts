import { App, CfnResource, PermissionsBoundary, TagManager } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { createApp } from '../../infra/app.ts';
import { companyProps } from '../../infra/company.ts';
import type { OrderStack } from '../../infra/order/stack.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { stagesWith } from '../helpers/stage-files.ts';
import { withoutTraces } from '../helpers/template.ts';

const BOUNDARY = '@aws-cdk/core:permissionsBoundary';
const ARN = 'arn:aws:iam::111122223333:policy/bounds/loan-orders';
const orderService = { baseUrl: 'https://orders.bank.ru', authorizationUrl: 'https://login.bank.ru' };
const tags = { 'cost-centre': '4711', project: 'lending' };

const { stack, template } = withoutTraces(() => {
  const settings = { orderService, alarms: { notify: 'ops@partner.ru' }, permissionsBoundary: ARN, tags };
  const stages = stagesWith({ 'retail.json': { ...settings, namePrefix: 'acme' } });
  const context = { ...cdk.context, 'aws:cdk:bundling-stacks': [], stage: 'retail', stages };
  const app = createApp({ context, analyticsReporting: false, treeMetadata: false });
  const made = app.node.findChild('LoanOrders-retail') as OrderStack;
  return { stack: made, template: Template.fromStack(made) };
});

const propsWith = (settings: Partial<Stage>, context: Record<string, unknown> = {}) =>
  companyProps(
    new App({ context, builtinCloudFormationValidation: false }),
    { ...stageSettings('prod'), ...settings },
    'Orders',
  );

test('every role has the permissions boundary of the settings', () => {
  const roles = Object.values(template.findResources('AWS::IAM::Role'));
  expect(roles.map(({ Properties }) => Properties.PermissionsBoundary)).toEqual(Array(16).fill(ARN));
});

const [byName, byArn] = [PermissionsBoundary.fromName('bounds'), PermissionsBoundary.fromArn(ARN)];

test.each([
  ['its name in the settings', { permissionsBoundary: 'bounds' }, undefined, byName],
  ['its ARN after -c', {}, ARN, byArn],
  ['its name after -c', {}, 'bounds', byName],
  ['JSON after -c', {}, JSON.stringify({ arn: ARN }), byArn],
  ['an object in cdk.json, before the settings', { permissionsBoundary: 'other' }, { arn: ARN }, byArn],
])('the permissions boundary is that of %s', (_title, settings, context, boundary) => {
  expect(propsWith(settings, { [BOUNDARY]: context }).permissionsBoundary).toEqual(boundary);
});

test.each(['{"policy":"bounds"}', '{', 'a b'])('the permissions boundary -c %s is refused', (context) => {
  expect(() => propsWith({}, { [BOUNDARY]: context })).toThrow(
    `-c ${BOUNDARY}=… must be the ARN or the name of a managed policy.`,
  );
});

test('every resource that can have tags, and the stack, have those of the settings', () => {
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
  expect(stack.stackName).toBe('acme-LoanOrders-retail');
  const names = Object.values(template.toJSON().Resources as Record<string, { Properties?: object }>)
    .flatMap(({ Properties = {} }) => Object.entries(Properties))
    .filter(([property]) => /^(\w*Name)$/.test(property))
    .map(([, name]) => JSON.stringify(name));
  const ours = names.filter((name) => name.includes('loan-orders'));
  expect(ours.length).toBeGreaterThan(50);
  expect(ours.filter((name) => !name.includes('acme-loan-orders-retail'))).toEqual([]);
});
