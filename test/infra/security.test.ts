import { readFileSync } from 'node:fs';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import {
  CERTIFICATE_ARN,
  connectionRules,
  encryptionRules,
  KEY_ARN,
  networkRules,
  ofPartner,
} from '../helpers/stack-rules.ts';
import { orderTemplate, templateOf } from '../helpers/template.ts';
import { creating, given, keyless } from '../helpers/variants.ts';
import { type Policy, personOf } from './people-policies.ts';

const own = orderTemplate('prod', creating);
const partners = orderTemplate('prod', given);

test('without a network no function is in a VPC', () => {
  templateOf('prod').allResourcesProperties('AWS::Lambda::Function', { VpcConfig: Match.absent() });
});

describe('the functions in the network of the partner', () => {
  networkRules(partners);
});

test('the security group that the stack creates if the stage names none opens only connections to TLS and the service', () => {
  const groups = Object.entries(own.findResources('AWS::EC2::SecurityGroup'));
  const [[id = '', { Properties } = {}] = []] = groups;
  expect(groups).toHaveLength(1);
  expect(Properties).toMatchObject({ VpcId: ofPartner.vpc });
  expect(Properties).not.toHaveProperty('SecurityGroupIngress');
  const opened = [443, 8443].map((port) => ({ IpProtocol: 'tcp', FromPort: port, ToPort: port }));
  expect(Properties?.SecurityGroupEgress).toMatchObject(opened);
  own.allResourcesProperties('AWS::Lambda::Function', {
    VpcConfig: { SubnetIds: ofPartner.subnets, SecurityGroupIds: [{ 'Fn::GetAtt': [id, 'GroupId'] }] },
  });
});

describe('the connection to the service', () => {
  const calling = Object.values<Definition>(definitions).filter(({ callsService }) => callsService).length;
  connectionRules(
    ({ clientCertificate, caBundle }) => {
      if (clientCertificate === CERTIFICATE_ARN) return partners;
      return clientCertificate || caBundle ? own : templateOf('prod');
    },
    calling,
    'loan-orders-prod-client-certificate',
  );
});

describe('the services that a VPC without a NAT gateway needs an endpoint for', () => {
  const page = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
  const all = Object.entries<Definition>(definitions);

  test.each<[string, (definition: Definition) => unknown]>([
    ['secretsmanager', ({ callsService }) => callsService],
    ['states', ({ states }) => states],
    ['kms', ({ signs }) => signs],
    ['events', ({ tells }) => tells],
  ])('%s: docs/deployment.md names the functions of the order stack that use it', (endpoint, uses) => {
    const [, named = ''] = new RegExp(`interface \`${endpoint}\` \\| (.*) \\|`).exec(page) ?? [];
    const using = all.filter(([, definition]) => uses(definition)).map(([name]) => name);
    expect([...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(using.sort());
  });
});

describe('the data of the stack', () => {
  const encrypted = new Map<string, Template>(Object.entries({ 'stack-key': own, [KEY_ARN]: partners }));
  encryptionRules((encryption) => encrypted.get(encryption) ?? orderTemplate('prod', keyless));
});

test('the key of the stack can be used by CloudWatch Logs for its log groups and by EventBridge for its queue', () => {
  own.hasResourceProperties('AWS::KMS::Key', {
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
  const policies = partners.findResources('AWS::IAM::ManagedPolicy');
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
