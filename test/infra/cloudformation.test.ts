import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, inject, test } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { schemaViolations, templatesOf, type Violation } from '../helpers/schema-violations.ts';
import { orderTemplate } from '../helpers/template.ts';

const stages = ['test', 'prod', 'local'] as const;

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
  const app = new App({
    outdir: mkdtempSync(join(inject('temporaryDirectory'), 'wrong-')),
    builtinCloudFormationValidation: false,
  });
  const templates: Record<string, Template> = {
    ...Object.fromEntries(stages.map((name) => [name, orderTemplate(name)])),
    special: orderTemplate('prod', special),
    Wrong: Template.fromStack(wrongStack(app)),
  };
  violations = schemaViolations(app, templates);
}, 180_000);

function wrongStack(app: App): Stack {
  const stack = new Stack(app, 'Wrong');
  new CfnResource(stack, 'Queue', { type: 'AWS::SQS::Queue', properties: { Nam: 'orders' } });
  return stack;
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
