import type { CfnOutput } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, test } from 'vitest';
import { constructId } from '../../infra/names.ts';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import { type OrderFunctions, orderSteps } from '../../infra/order/functions.ts';
import { addRelease } from '../../infra/order/release.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { orderDefinition } from '../../statemachine/order-definition.ts';
import { ofPartner } from '../helpers/stack-rules.ts';
import { orderStack, templateOf, unbundledApp, withoutTraces } from '../helpers/template.ts';

const QUALIFIER = '@aws-cdk/core:bootstrapQualifier';

const prod = templateOf('prod');
const [machine] = Object.values(prod.findResources('AWS::StepFunctions::StateMachine'));
const versions = prod.findResources('AWS::Lambda::Version');

test('the state machine names a version of each of its functions, which deployments keep', () => {
  const named = Object.values(machine?.Properties.DefinitionSubstitutions as Record<string, { Ref: string }>);
  expect(named.map(({ Ref }) => Ref).sort()).toEqual(Object.keys(versions).sort());
  expect(named).toHaveLength(11);
  for (const version of Object.values(versions))
    expect(version).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
});

test('the state machine may invoke every version of its functions, and no function without a version', () => {
  const [policy] = Object.entries(prod.findResources('AWS::IAM::Policy'))
    .filter(([id]) => id.startsWith('Workflow'))
    .map(([, { Properties }]) => Properties.PolicyDocument.Statement as { Action: string; Resource: object[] }[]);
  const resources = policy?.find(({ Action }) => Action === 'lambda:InvokeFunction')?.Resource;
  const ofVersions = Object.values(versions).map(({ Properties }) => Properties.FunctionName.Ref as string);
  expect(resources).toHaveLength(11);
  for (const id of ofVersions)
    expect(resources).toContainEqual({ 'Fn::Join': ['', [{ 'Fn::GetAtt': [id, 'Arn'] }, ':*']] });
});

test('events reach the newest code: no rule and no schedule names a version', () => {
  const targets = ['AWS::Events::Rule', 'AWS::Scheduler::Schedule'].map((type) => prod.findResources(type));
  expect(JSON.stringify(targets)).not.toContain('CurrentVersion');
});

describe('the release', () => {
  const releaseOf = (change?: (stage: Stage) => Stage) =>
    (orderStack('prod', change).node.findChild('Release') as CfnOutput).value as string;
  const release = prod.toJSON().Outputs.Release.Value;

  test('is known to every step, and to the sweep', () => {
    const informed = Object.values(prod.findResources('AWS::Lambda::Function'))
      .filter(({ Properties }) => Properties.Environment.Variables.RELEASE === release)
      .map(({ Properties }) => Properties.FunctionName.replace('loan-orders-prod-', ''));
    const steps = Object.entries<Definition>(definitions).filter(([, { noStep }]) => !noStep);
    expect(informed.sort()).toEqual([...steps.map(([name]) => name), 'sweep-orders'].sort());
  });

  test.each<[string, Partial<Stage>, Record<string, unknown>?]>([
    ['an account', { account: '111122223333' }],
    ['a region', { region: 'eu-central-1' }],
    ['both, with another qualifier', { account: '111122223333', region: 'eu-central-1' }, { [QUALIFIER]: 'acme' }],
    ['another qualifier', {}, { [QUALIFIER]: 'acme' }],
    ['another hash of the CDK', {}, { '@aws-cdk/aws-lambda:recognizeLayerVersion': false }],
    ['a network', { network: ofPartner }],
    ['X-Ray', { tracing: { xray: true } }],
  ])('names the versions, so Lambda can publish each one that is new: with %s', (_what, settings, context = {}) => {
    const app = unbundledApp('prod');
    for (const [name, value] of Object.entries(context)) app.node.setContext(name, value);
    const stage = { ...stageSettings('prod'), ...settings };
    const changed = Template.fromStack(withoutTraces(() => new OrderStack(app, 'LoanOrders-prod', { stage })));
    const after = changed.toJSON().Outputs.Release.Value;
    const others = Object.keys(changed.findResources('AWS::Lambda::Version'));
    expect(others.map((id) => id.replace(after, release))).toEqual(Object.keys(versions));
    const isPublished = 'network' in settings || 'tracing' in settings;
    if (isPublished) expect(after).not.toBe(release);
    for (const { Properties } of Object.values(changed.findResources('AWS::Lambda::Version'))) {
      const { Environment } = changed.toJSON().Resources[Properties.FunctionName.Ref].Properties;
      expect(Environment.Variables.RELEASE).toBe(after);
    }
  });

  test('changes with an address and with any setting that a step uses', () => {
    const address = (stage: Stage) => ({
      ...stage,
      orderService: { ...stage.orderService, baseUrl: 'https://other.example' },
    });
    expect(releaseOf(address)).not.toBe(release);
    expect(releaseOf((stage) => ({ ...stage, settlingSeconds: 7 }))).not.toBe(release);
  });

  test('changes with the definition, and with the code of a step', () => {
    const made = orderStack('prod').node.findChild('Functions').node;
    const named = Object.keys(definitions).map((name) => [name, made.findChild(constructId(name))]);
    const functions: OrderFunctions = Object.fromEntries(named);
    const definition = orderDefinition();
    const added = (changed = definition) => {
      // A release that was added is part of the environment.
      for (const [, step] of orderSteps(functions)) step.addEnvironment('RELEASE', 'none');
      return addRelease(functions, changed);
    };
    const before = added();
    expect(added()).toBe(before);
    expect(added({ ...definition, StartAt: 'Elsewhere' })).not.toBe(before);
    const read = functions['read-order'].node.defaultChild as CfnFunction;
    read.code = { ...read.code, s3Key: 'other.zip' };
    expect(added()).not.toBe(before);
  });

  test('does not change with a setting that no execution meets', () => {
    expect(releaseOf((stage) => ({ ...stage, holdReleases: true, logRetentionDays: 7 }))).toBe(release);
  });

  test('reaches the sweep after the state machine', () => {
    prod.hasResource('AWS::Lambda::Function', {
      Properties: { FunctionName: 'loan-orders-prod-sweep-orders' },
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('^WorkflowStateMachine')]),
    });
  });
});
