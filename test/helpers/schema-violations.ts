import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, CloudFormationValidatePlugin } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { inject } from 'vitest';

type Violation = ReturnType<CloudFormationValidatePlugin['validate']>['violations'][number];

/** The problems that the CDK's check against the CloudFormation schemas finds in templates. To load the schemas takes seconds. */
export function schemaViolations(app: App, templates: Record<string, Template>): readonly Violation[] {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'cloudformation-'));
  const stackTemplates = Object.entries(templates).map(([name, template]) => {
    const templatePath = join(directory, `${name}.template.json`);
    writeFileSync(templatePath, JSON.stringify(template.toJSON()));
    return { stackConstructPath: name, templatePath, accountId: undefined, region: undefined };
  });
  const templatePaths = stackTemplates.map(({ templatePath }) => templatePath);
  return new CloudFormationValidatePlugin().validate({ appConstruct: app, stackTemplates, templatePaths }).violations;
}
