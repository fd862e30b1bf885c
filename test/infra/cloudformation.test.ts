import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { App, CfnResource, CloudFormationValidatePlugin, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, inject, test } from 'vitest';
import { orderTemplate } from '../helpers/template.ts';
import { creating, given } from '../helpers/variants.ts';

type Violation = ReturnType<CloudFormationValidatePlugin['validate']>['violations'][number];

function schemaViolations(app: App, templates: Record<string, Template>): readonly Violation[] {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'cloudformation-'));
  const stackTemplates = Object.entries(templates).map(([name, template]) => {
    const templatePath = join(directory, `${name}.template.json`);
    writeFileSync(templatePath, JSON.stringify(template.toJSON()));
    return { stackConstructPath: name, templatePath, accountId: undefined, region: undefined };
  });
  const templatePaths = stackTemplates.map(({ templatePath }) => templatePath);
  return new CloudFormationValidatePlugin().validate({ appConstruct: app, stackTemplates, templatePaths }).violations;
}

test('no stack of any stage has a problem with the schemas, whatever it creates or is given', async () => {
  // One test, because the schemas take seconds to load.
  const templates = {
    test: orderTemplate('test'),
    creating: orderTemplate('prod', creating),
    given: orderTemplate('prod', given),
    ...(await import('../../bank-exchange/test/helpers/variants.ts')).checkedTemplates(), // bank-exchange
  };
  expect(schemaViolations(new App(), templates)).toEqual([]);
}, 180_000);

const script = fileURLToPath(new URL('../../.ci/template-changes', import.meta.url));

function appWith(resources: Record<string, { type: string; properties?: object; policy?: RemovalPolicy }>): string {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'app-'));
  const app = new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'LoanOrders-prod');
  for (const [id, { type, properties = {}, policy = RemovalPolicy.DESTROY }] of Object.entries(resources))
    new CfnResource(stack, id, { type, properties }).applyRemovalPolicy(policy);
  app.synth();
  return outdir;
}

const table = (TableName: string) => ({ type: 'AWS::DynamoDB::Table', properties: { TableName } });
const bucket = { type: 'AWS::S3::Bucket' };
const kept = { ...bucket, policy: RemovalPolicy.RETAIN };
const version = { type: 'AWS::Lambda::Version', properties: { FunctionName: 'f' }, policy: RemovalPolicy.RETAIN };
const topic = (DisplayName: string) => ({ type: 'AWS::SNS::Topic', properties: { DisplayName } });

async function losses(before: string, after: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(script, ['--losses', before, after]);
  return stdout.trimEnd().split('\n');
}

test('the losses of a release are what CloudFormation replaces, deletes or leaves behind, and nothing else', async () => {
  const before = appWith({ Table: table('a'), Deleted: bucket, Left: kept, Version1: version, Topic: topic('a') });
  const after = appWith({ Table: table('b'), Version2: version, Topic: topic('b'), New: bucket });
  const [found, none] = await Promise.all([losses(before, after), losses(after, after)]);
  expect(found.sort()).toEqual([
    '[-] AWS::S3::Bucket Deleted destroy',
    '[-] AWS::S3::Bucket Left orphan',
    '[~] AWS::DynamoDB::Table Table Table replace',
  ]);
  expect(none).toEqual(['Nothing is replaced, deleted or left behind.']);
});
