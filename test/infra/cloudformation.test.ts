import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource, CloudFormationValidatePlugin, Stack } from 'aws-cdk-lib';
import { expect, onTestFinished, test, vi } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { LegacyStack } from '../../infra/legacy/stack.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { stageSettings } from '../../infra/stages.ts';

// The schemas are large: on a busy machine, the check of one stack takes ten seconds.
vi.setConfig({ testTimeout: 180_000 });

/** The problems that the CDK's check against the CloudFormation schemas finds in these stacks. */
function findings(addStacks: (app: App) => Stack[]) {
  const outdir = mkdtempSync(join(tmpdir(), 'cloudformation-'));
  onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({
    outdir,
    builtinCloudFormationValidation: false,
    context: { ...cdk.context, 'aws:cdk:bundling-stacks': [] },
  });
  const stacks = addStacks(app);
  app.synth();
  const stackTemplates = stacks.map((stack) => ({
    stackConstructPath: stack.node.path,
    templatePath: join(outdir, stack.templateFile),
    accountId: undefined,
    region: undefined,
  }));
  const templatePaths = stackTemplates.map(({ templatePath }) => templatePath);
  return new CloudFormationValidatePlugin().validate({ appConstruct: app, stackTemplates, templatePaths }).violations;
}

test('the stacks of every stage have no problem with the CloudFormation schemas', () => {
  const found = findings((app) =>
    ['test', 'prod', 'local'].flatMap((name) => {
      const stage = stageSettings(name);
      return [
        new OrderStack(app, `LoanOrders-${name}`, { stage }),
        new LegacyStack(app, `LoanOrdersLegacy-${name}`, { stage }),
      ];
    }),
  );
  expect(found).toEqual([]);
});

test('a key, a network, and an account and region have no problem with the CloudFormation schemas either', () => {
  const found = findings((app) => {
    const stage = {
      ...stageSettings('prod'),
      account: '111122223333',
      region: 'eu-central-1',
      encryption: 'stack-key' as const,
      network: { vpc: 'vpc-0a1b2c3d', subnets: ['subnet-0a1b2c3d'] },
    };
    return [
      new OrderStack(app, 'LoanOrders-prod', { stage }),
      new LegacyStack(app, 'LoanOrdersLegacy-prod', { stage }),
    ];
  });
  expect(found).toEqual([]);
});

test('the check against the CloudFormation schemas finds an unknown property', () => {
  const found = findings((app) => {
    const stack = new Stack(app, 'Wrong');
    new CfnResource(stack, 'Queue', { type: 'AWS::SQS::Queue', properties: { Nam: 'orders' } });
    return [stack];
  });
  expect(found.map(({ severity, description }) => [severity, description])).toEqual([
    ['error', expect.stringContaining('Nam')],
  ]);
});
