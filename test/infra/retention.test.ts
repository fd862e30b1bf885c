import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { orderTemplate } from '../helpers/template.ts';

/** The template of a stage with these settings, and the variables of the sweep. */
function synthesized(change: Partial<Stage['retention']>) {
  const template = orderTemplate('prod', (stage) => ({ ...stage, retention: { ...stage.retention, ...change } }));
  const [sweep] = Object.values(
    template.findResources('AWS::Lambda::Function', { Properties: { FunctionName: 'loan-orders-prod-sweep-orders' } }),
  );
  return { template, variables: Object.keys(sweep?.Properties.Environment.Variables) };
}

test('the sweep learns how long to keep data, and nothing where data is kept for ever', () => {
  expect(synthesized({}).variables).toEqual(expect.arrayContaining(['KEEP_DOCUMENTS_DAYS', 'KEEP_RECORD_DAYS']));
  const { variables } = synthesized({ recordDays: 'keep' });
  expect(variables).toContain('KEEP_DOCUMENTS_DAYS');
  expect(variables).not.toContain('KEEP_RECORD_DAYS');
});

test('a legal hold of the stage stops the sweep, the expiry of old versions, and the command erase', () => {
  const { template, variables } = synthesized({ legalHold: true });
  expect(variables.filter((name) => name.startsWith('KEEP_'))).toEqual([]);
  template.hasOutput('LegalHold', { Value: 'true' });
  const expiring = { LifecycleConfiguration: { Rules: Match.arrayWith([Match.objectLike({ Id: 'history' })]) } };
  expect(Object.keys(template.findResources('AWS::S3::Bucket', { Properties: expiring }))).toEqual([]);
  expect(Object.keys(synthesized({}).template.findResources('AWS::S3::Bucket', { Properties: expiring }))).toHaveLength(
    1,
  );
});
