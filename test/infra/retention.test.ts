import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { functionsIn, orderStack, orderTemplate, templateOf } from '../helpers/template.ts';
import { given } from '../helpers/variants.ts';

/** The variables of the sweep that say how long to keep data. */
function keptDays(change: Partial<Stage['retention']>): string[] {
  const stack = orderStack('prod', (stage) => ({ ...stage, retention: { ...stage.retention, ...change } }));
  const sweep = functionsIn(stack).find(({ functionName }) => functionName === 'loan-orders-prod-sweep-orders');
  return Object.keys(stack.resolve(sweep?.environment).variables).filter((name) => name.startsWith('KEEP_'));
}

test('the sweep learns how long to keep data, and nothing where data is kept for ever', () => {
  expect(keptDays({}).sort()).toEqual(['KEEP_DOCUMENTS_DAYS', 'KEEP_RECORD_DAYS']);
  expect(keptDays({ recordDays: 'keep' })).toEqual(['KEEP_DOCUMENTS_DAYS']);
});

test('a legal hold of the stage stops the sweep, the expiry of old versions, and the command erase', () => {
  expect(keptDays({ legalHold: true })).toEqual([]);
  const template = orderTemplate('prod', given);
  template.hasOutput('LegalHold', { Value: 'true' });
  const expiring = { LifecycleConfiguration: { Rules: Match.arrayWith([Match.objectLike({ Id: 'history' })]) } };
  template.resourcePropertiesCountIs('AWS::S3::Bucket', expiring, 0);
  templateOf('prod').resourcePropertiesCountIs('AWS::S3::Bucket', expiring, 1);
});
