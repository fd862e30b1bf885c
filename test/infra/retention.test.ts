import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { orderTemplate } from '../helpers/template.ts';

const good = stageSettings('prod');
const { name: _name, ...settings } = good;
const withRetention = (change: Record<string, unknown>, others: Record<string, unknown> = {}): Stage =>
  stageSettings('prod', { prod: { ...settings, ...others, retention: { ...good.retention, ...change } } });

/** The template of a stage with these settings, and the variables of the sweep. */
function synthesized(change: Record<string, unknown>) {
  const template = orderTemplate('prod', () => withRetention(change));
  const [sweep] = Object.values(
    template.findResources('AWS::Lambda::Function', { Properties: { FunctionName: 'loan-orders-prod-sweep-orders' } }),
  );
  return { template, variables: Object.keys(sweep?.Properties.Environment.Variables) };
}

test('documents are kept for 90 days after the end of an order, and the record for a year', () => {
  expect(good.retention).toEqual({ documentsDays: 90, recordDays: 365, legalHold: false });
});

describe('settings that cannot be kept are refused', () => {
  test.each([
    [{ documentsDays: 0 }, 'prod.retention.documentsDays: Too small: expected number to be >=1'],
    [{ recordDays: 'never' }, 'prod.retention.recordDays: must be a number of days'],
    [{ documentsDays: 400 }, 'prod.retention: must have recordDays >= documentsDays'],
    [{ documentsDays: 'keep' }, 'prod.retention: must have recordDays >= documentsDays'],
    [{ legalHold: 'yes' }, 'prod.retention.legalHold:'],
  ])('%j', (change, message) => {
    expect(() => withRetention(change)).toThrow(message);
  });

  test('a legal hold on a stage whose data does not outlive the stack', () => {
    expect(() => withRetention({ legalHold: true }, { keepData: false })).toThrow('must have keepData: true');
  });
});

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
