import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource, CloudFormationValidatePlugin, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { legacyTemplate } from '../../bank-exchange/test/helpers/template.ts';
import type { Stage } from '../../infra/stages.ts';
import { orderTemplate } from '../helpers/template.ts';

const stages = ['test', 'prod', 'local'] as const;

const outdir = mkdtempSync(join(tmpdir(), 'cloudformation-'));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

type Violation = ReturnType<CloudFormationValidatePlugin['validate']>['violations'][number];

/** The problems that the CDK's check against the CloudFormation schemas finds. */
let violations: readonly Violation[];

// All stacks are checked at once: to load the schemas takes seconds, whatever is checked.
beforeAll(() => {
  const special = (stage: Stage): Stage => ({
    ...stage,
    account: '111122223333',
    region: 'eu-central-1',
    encryption: 'stack-key',
    network: { vpc: 'vpc-0a1b2c3d', subnets: ['subnet-0a1b2c3d'] },
  });
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  const templates: Record<string, Template> = {
    ...Object.assign({}, ...stages.map((name) => templatesWith(name, name))),
    ...templatesWith('special', 'prod', special),
    Wrong: Template.fromStack(wrongStack(app)),
  };
  const stackTemplates = Object.entries(templates).map(([name, template]) => {
    const templatePath = join(outdir, `${name}.template.json`);
    writeFileSync(templatePath, JSON.stringify(template.toJSON()));
    return { stackConstructPath: name, templatePath, accountId: undefined, region: undefined };
  });
  const templatePaths = stackTemplates.map(({ templatePath }) => templatePath);
  ({ violations } = new CloudFormationValidatePlugin().validate({ appConstruct: app, stackTemplates, templatePaths }));
}, 180_000);

/** The templates of both stacks, by name. */
function templatesWith(name: string, ...settings: Parameters<typeof orderTemplate>): Record<string, Template> {
  return {
    [`LoanOrders-${name}`]: orderTemplate(...settings),
    [`LoanOrdersLegacy-${name}`]: legacyTemplate(...settings),
  };
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
