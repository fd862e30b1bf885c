import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { KEY_ARN } from '../helpers/stack-rules.ts';
import { orderTemplate } from '../helpers/template.ts';

const CRM = 'arn:aws:iam::444455556666:role/crm';
const BANK = 'arn:aws:iam::777788889999:root';
const COPIES = { intake: 'arn:aws:s3:::copies-of-intake', staging: 'arn:aws:s3:::copies-of-staging' };

const prodWith = (change: Partial<Stage>) => orderTemplate('prod', (stage) => ({ ...stage, ...change }));
type Statement = { Sid?: string; Action: unknown; Resource: unknown; Principal?: unknown; Condition?: unknown };
const statementsIn = (template: ReturnType<typeof prodWith>, type: string): Statement[] =>
  Object.values(template.findResources(type)).flatMap(({ Properties: { PolicyDocument, KeyPolicy } }) => [
    ...((PolicyDocument ?? KeyPolicy).Statement as Statement[]),
  ]);
const text = (value: unknown) => JSON.stringify(value);

describe('principals of other accounts', () => {
  const uploads = { packages: [CRM], signatures: [CRM, BANK], decisions: [] };
  const template = prodWith({ uploads, encryption: 'stack-key' });
  const given = statementsIn(template, 'AWS::S3::BucketPolicy').filter(({ Sid }) => Sid?.startsWith('Upload'));

  test('may upload what the settings say to intake, and nothing else', () => {
    expect(given.map(({ Sid, Principal }) => [Sid, Principal])).toEqual([
      ['Uploadpackages', { AWS: CRM }],
      ['Uploadsignatures', { AWS: [CRM, BANK] }],
    ]);
    const [packages, signatures] = given;
    for (const { Action } of given)
      expect(Action).toEqual(['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts', 's3:PutObject']);
    expect(text(packages?.Resource)).toMatch(
      /Intake.*"\/orders\/\*\/documents\/\*".*Intake.*"\/orders\/\*\/order\.json"/,
    );
    expect(text(signatures?.Resource)).toMatch(/Intake.*"\/orders\/\*\/signatures\/\*"/);
    expect(text(given)).not.toContain('decision.json');
  });

  test('may use the key of the stack through S3 alone', () => {
    const [ofKey, ...others] = statementsIn(template, 'AWS::KMS::Key').filter(({ Sid }) => Sid === 'Uploads');
    expect(others).toEqual([]);
    expect(ofKey).toMatchObject({ Principal: { AWS: [CRM, BANK] }, Action: ['kms:Decrypt', 'kms:GenerateDataKey'] });
    expect(text(ofKey?.Condition)).toContain('kms:ViaService');
  });

  test('are nobody by default, and need no key if AWS encrypts with its own', () => {
    for (const other of [prodWith({}), prodWith({ uploads })])
      expect(statementsIn(other, 'AWS::KMS::Key').filter(({ Sid }) => Sid === 'Uploads')).toEqual([]);
    expect(text(statementsIn(prodWith({}), 'AWS::S3::BucketPolicy'))).not.toContain('"Upload');
  });
});

describe('copies of both buckets', () => {
  const copies = { ...COPIES, account: '444455556666', key: KEY_ARN };
  const template = prodWith({ copies, encryption: 'stack-key' });

  test('S3 copies new versions, and no deletions, and gives them to the other account', () => {
    for (const Bucket of Object.values(COPIES)) {
      template.hasResourceProperties('AWS::S3::Bucket', {
        ReplicationConfiguration: {
          Rules: [
            Match.objectLike({
              Status: 'Enabled',
              DeleteMarkerReplication: { Status: 'Disabled' },
              Destination: {
                Bucket,
                Account: '444455556666',
                AccessControlTranslation: { Owner: 'Destination' },
                EncryptionConfiguration: { ReplicaKmsKeyID: KEY_ARN },
              },
              SourceSelectionCriteria: { SseKmsEncryptedObjects: { Status: 'Enabled' } },
            }),
          ],
        },
      });
    }
  });

  test('the role of each bucket may read it and write its copies', () => {
    const rights = statementsIn(template, 'AWS::IAM::Policy').filter(({ Resource }) =>
      text(Resource).includes('copies-of'),
    );
    expect(rights.map(({ Action, Resource }) => [Action, Resource])).toEqual(
      Object.values(COPIES).map((bucket) => [
        ['s3:ObjectOwnerOverrideToBucketOwner', 's3:ReplicateDelete', 's3:ReplicateObject', 's3:ReplicateTags'],
        `${bucket}/*`,
      ]),
    );
  });
});

test('a stage that adopts a table has no table of its own, and all rights are on that one and its indexes', () => {
  const template = prodWith({ existing: { table: 'orders-restored' } });
  template.resourceCountIs('AWS::DynamoDB::Table', 0);
  const tables = (other: ReturnType<typeof prodWith>) =>
    ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
      statementsIn(other, type).filter(({ Action }) => text(Action).includes('dynamodb:')),
    );
  const actions = (other: typeof template) => tables(other).map(({ Action }) => [Action].flat());
  // `doctor` describes a table that the stack does not make.
  const onAdopted = actions(template).map((some) => some.filter((action) => !text(action).includes('Describe')));
  expect(onAdopted).toEqual(actions(prodWith({})));
  for (const { Resource } of tables(template)) expect(text(Resource)).toContain(':table/orders-restored');
  template.hasOutput('OrderTable', { Value: 'orders-restored' });
});
