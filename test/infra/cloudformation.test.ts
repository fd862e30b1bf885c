import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, CloudFormationValidatePlugin } from 'aws-cdk-lib';
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
