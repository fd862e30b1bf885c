import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { orderTemplate, templateOf } from '../helpers/template.ts';
import { adopting, BANK, CRM, creating, keyless } from '../helpers/variants.ts';

const template = orderTemplate('prod', creating);
type Statement = { Sid?: string; Action: unknown; Resource: unknown; Principal?: unknown; Condition?: unknown };
const statementsIn = (found: Template, type: string): Statement[] =>
  Object.values(found.findResources(type)).flatMap(({ Properties: { PolicyDocument, KeyPolicy } }) => [
    ...((PolicyDocument ?? KeyPolicy).Statement as Statement[]),
  ]);
const text = (value: unknown) => JSON.stringify(value);

describe('principals of other accounts', () => {
  const given = statementsIn(template, 'AWS::S3::BucketPolicy').filter(({ Sid }) => Sid?.startsWith('Upload'));

  test('may upload what the settings say to intake, and nothing else', () => {
    expect(given.map(({ Sid, Principal }) => [Sid, Principal])).toEqual([
      ['Uploadpackages', { AWS: CRM }],
      ['Uploadsignatures', { AWS: [CRM, BANK] }],
    ]);
    const [packages, signatures] = given;
    const actions = ['AbortMultipartUpload', 'ListMultipartUploadParts', 'PutObject', 'PutObjectAcl'];
    for (const { Action } of given) expect(Action).toEqual(actions.map((action) => `s3:${action}`));
    expect(text(packages?.Resource)).toMatch(
      /Intake.*"\/orders\/\*\/documents\/\*".*Intake.*"\/orders\/\*\/order\.json"/,
    );
    expect(text(signatures?.Resource)).toMatch(/Intake.*"\/orders\/\*\/signatures\/\*"/);
    expect(text(given)).not.toContain('decision.json');
  });

  test('upload no package with the rights to something else, whose patterns match slashes', () => {
    const [denied] = statementsIn(template, 'AWS::S3::BucketPolicy').filter(({ Sid }) => Sid === 'NeverPackages');
    expect(denied).toMatchObject({
      Effect: 'Deny',
      Principal: { AWS: BANK },
      Action: 's3:PutObject',
      Condition: { ArnNotEquals: { 'aws:PrincipalArn': [CRM] } },
    });
    expect(text(denied?.Resource)).toMatch(/\*\/documents\/\*.*\*\/order\.json/);
  });

  test('may use the key of the stack through S3 alone', () => {
    const [ofKey, ...others] = statementsIn(template, 'AWS::KMS::Key').filter(({ Sid }) => Sid === 'Uploads');
    expect(others).toEqual([]);
    expect(ofKey).toMatchObject({ Principal: { AWS: [CRM, BANK] }, Action: ['kms:Decrypt', 'kms:GenerateDataKey'] });
    expect(text(ofKey?.Condition)).toContain('kms:ViaService');
  });

  test('are nobody by default, and need no key if AWS encrypts with its own', () => {
    for (const other of [templateOf('prod'), orderTemplate('prod', keyless)])
      expect(statementsIn(other, 'AWS::KMS::Key').filter(({ Sid }) => Sid === 'Uploads')).toEqual([]);
    expect(text(statementsIn(templateOf('prod'), 'AWS::S3::BucketPolicy'))).not.toContain('"Upload');
  });
});

test('a stage that adopts a table has no table of its own, and all rights are on that one and its indexes', () => {
  const adopted = orderTemplate('prod', adopting);
  adopted.resourceCountIs('AWS::DynamoDB::Table', 0);
  const tables = (other: Template) =>
    ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
      statementsIn(other, type).filter(({ Action }) => text(Action).includes('dynamodb:')),
    );
  const actions = (other: Template) => tables(other).map(({ Action }) => [Action].flat());
  // `doctor` describes a table that the stack does not make.
  const onAdopted = actions(adopted).map((some) => some.filter((action) => !text(action).includes('Describe')));
  expect(onAdopted.filter((some) => some.length > 0)).toEqual(actions(templateOf('prod')));
  for (const { Resource } of tables(adopted)) expect(text(Resource)).toContain(':table/orders-restored');
  adopted.hasOutput('OrderTable', { Value: 'orders-restored' });
});

test('given buckets are used and not created, and an operator may see whether they have what the stage needs', () => {
  const adopted = orderTemplate('prod', adopting);
  adopted.resourceCountIs('AWS::S3::Bucket', 0);
  adopted.hasOutput('IntakeBucket', { Value: 'ours-in' });
  adopted.hasResourceProperties('AWS::Events::Rule', { EventPattern: { detail: { bucket: { name: ['ours-in'] } } } });
  const people = text(adopted.findResources('AWS::IAM::ManagedPolicy'));
  expect(people).toContain('s3:GetBucketNotification');
  expect(people).toContain(':s3:::ours-out');
});
