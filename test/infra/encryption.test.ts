import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { encryptionRules, KEY_ARN } from '../helpers/stack-rules.ts';
import { orderTemplate } from '../helpers/template.ts';
import { creating, given, keyless } from '../helpers/variants.ts';
import { type Policy, personOf } from './people-policies.ts';

const stages: Record<Stage['encryption'], typeof given> = {
  'aws-managed': keyless,
  'stack-key': creating,
  [KEY_ARN]: given,
};
const ordersWith = (encryption: Stage['encryption']) => orderTemplate('prod', stages[encryption]);

describe('the data of the stack', () => {
  encryptionRules(ordersWith);
});

test('the key of the stack can be used by CloudWatch Logs for its log groups and by EventBridge for its queue', () => {
  ordersWith('stack-key').hasResourceProperties('AWS::KMS::Key', {
    KeyPolicy: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Principal: { Service: { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.amazonaws.com']] } },
        }),
        {
          Sid: 'EventsIntoQueues',
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
          Resource: '*',
        },
      ]),
    },
  });
});

test('every person may use the key as far as their rights go', () => {
  const policies = ordersWith(KEY_ARN).findResources('AWS::IAM::ManagedPolicy');
  const rights = Object.values(policies).map(({ Properties }) => [
    personOf({ Properties } as Policy),
    Properties.PolicyDocument.Statement.filter(({ Resource }: { Resource: unknown }) => Resource === KEY_ARN).flatMap(
      ({ Action }: { Action: string | string[] }) => Action,
    ),
  ]);
  expect(Object.fromEntries(rights.reverse())).toEqual({
    'back-office': ['kms:Decrypt', 'kms:GenerateDataKey'],
    signer: ['kms:Decrypt', 'kms:GenerateDataKey'],
    'credit-desk': ['kms:Decrypt', 'kms:GenerateDataKey'],
    operator: expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey']),
    'data-protection': expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey']),
    auditor: ['kms:Decrypt'],
    'evidence-signer': [],
  });
});
