import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource, CloudFormationValidatePlugin, Stack } from 'aws-cdk-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { LegacyStack } from '../../infra/legacy/stack.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';

const outdir = mkdtempSync(join(tmpdir(), 'cloudformation-'));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

type Violation = ReturnType<CloudFormationValidatePlugin['validate']>['violations'][number];

/** The problems that the CDK's check against the CloudFormation schemas finds. */
let violations: readonly Violation[];

// All stacks are checked at once: to load the schemas takes 20 seconds, whatever is checked.
beforeAll(() => {
  const app = new App({
    outdir,
    builtinCloudFormationValidation: false,
    context: { ...cdk.context, 'aws:cdk:bundling-stacks': [] },
  });
  const usual = ['test', 'prod', 'local'].flatMap((name) => stacksOf(app, name, stageSettings(name)));
  const stacks = [
    ...usual,
    ...stacksOf(app, 'special', {
      ...stageSettings('prod'),
      account: '111122223333',
      region: 'eu-central-1',
      encryption: 'stack-key',
      network: { vpc: 'vpc-0a1b2c3d', subnets: ['subnet-0a1b2c3d'] },
    }),
    wrongStack(app),
  ];
  app.synth();
  const stackTemplates = stacks.map((stack) => ({
    stackConstructPath: stack.node.path,
    templatePath: join(outdir, stack.templateFile),
    accountId: undefined,
    region: undefined,
  }));
  const templatePaths = stackTemplates.map(({ templatePath }) => templatePath);
  ({ violations } = new CloudFormationValidatePlugin().validate({ appConstruct: app, stackTemplates, templatePaths }));
}, 180_000);

function stacksOf(app: App, name: string, stage: Stage): Stack[] {
  return [
    new OrderStack(app, `LoanOrders-${name}`, { stage }),
    new LegacyStack(app, `LoanOrdersLegacy-${name}`, { stage }),
  ];
}

function wrongStack(app: App): Stack {
  const stack = new Stack(app, 'Wrong');
  new CfnResource(stack, 'Queue', { type: 'AWS::SQS::Queue', properties: { Nam: 'orders' } });
  return stack;
}

/** The templates that a problem was found in, by their names. */
function templatesOf({ violatingResources }: Violation): string[] {
  return violatingResources.map(({ templatePath = '' }) => templatePath.replace(/^.*\//, ''));
}

test('no stack of any stage has a problem with the schemas, also with a key, a network, and an account and region', () => {
  expect(violations.filter((violation) => templatesOf(violation).some((name) => !name.startsWith('Wrong')))).toEqual(
    [],
  );
});

test('the check against the CloudFormation schemas finds an unknown property', () => {
  expect(violations.map((violation) => [violation.severity, violation.description, templatesOf(violation)])).toEqual([
    ['error', expect.stringContaining('Nam'), ['Wrong.template.json']],
  ]);
});
