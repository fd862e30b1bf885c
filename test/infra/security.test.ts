import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import { signingKeys } from '../../infra/order/signing-key.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import {
  CERTIFICATE_ARN,
  connectionRules,
  encryptionRules,
  KEY_ARN,
  networkRules,
  ofPartner,
} from '../helpers/stack-rules.ts';
import { functionsIn, orderStack, orderTemplate, templateOf } from '../helpers/template.ts';
import { adopting, BANK, CRM, creating, EVIDENCE_KEY, given, keyless, SIGNING_KEY } from '../helpers/variants.ts';
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

type Statement = { Sid?: string; Action: unknown; Resource: unknown; Principal?: unknown; Condition?: unknown };
const statementsIn = (found: Template, type: string): Statement[] =>
  Object.values(found.findResources(type)).flatMap(({ Properties: { PolicyDocument, KeyPolicy } }) => [
    ...((PolicyDocument ?? KeyPolicy).Statement as Statement[]),
  ]);
const text = (value: unknown) => JSON.stringify(value);

describe('principals of other accounts', () => {
  const given = statementsIn(own, 'AWS::S3::BucketPolicy').filter(({ Sid }) => Sid?.startsWith('Upload'));

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
    const [denied] = statementsIn(own, 'AWS::S3::BucketPolicy').filter(({ Sid }) => Sid === 'NeverPackages');
    const Condition = { ArnNotEquals: { 'aws:PrincipalArn': [CRM] } };
    expect(denied).toMatchObject({ Effect: 'Deny', Principal: { AWS: BANK }, Action: 's3:PutObject', Condition });
    expect(text(denied?.Resource)).toMatch(/\*\/documents\/\*.*\*\/order\.json/);
  });

  test('may use the key of the stack through S3 alone', () => {
    const [ofKey, ...others] = statementsIn(own, 'AWS::KMS::Key').filter(({ Sid }) => Sid === 'Uploads');
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

const template = orderTemplate('prod', creating);
const keyRights = (resource: unknown) => ({
  PolicyDocument: {
    Statement: Match.arrayWith([
      Match.objectLike({ Action: ['kms:GetPublicKey', 'kms:Sign'], Resource: resource, Effect: 'Allow' }),
    ]),
  },
});

test('by default only the partner signs, and no KMS key signs', () => {
  expect(JSON.stringify(orderTemplate('prod').toJSON())).not.toContain('kms:Sign');
});

test('KMS keys of the stack only sign, and outlive a stage that keeps data', () => {
  for (const KeySpec of ['ECC_NIST_P384', 'RSA_3072']) {
    const Properties = { KeySpec, KeyUsage: 'SIGN_VERIFY' };
    template.hasResource('AWS::KMS::Key', { Properties, DeletionPolicy: 'Retain' });
  }
});

test('one function signs with the key for documents, and people only with the one for evidence', () => {
  const aliases = Object.values(template.findResources('AWS::KMS::Alias'));
  const keys = Object.fromEntries(
    aliases.map(({ Properties: { AliasName, TargetKeyId } }) => [AliasName, TargetKeyId]),
  );
  const usersOf = (type: string, key: unknown) =>
    Object.keys(template.findResources(type, { Properties: keyRights(key) }));
  const [documents, evidence] = ['signing', 'evidence'].map((name) => keys[`alias/loan-orders-prod-${name}`]);
  expect(usersOf('AWS::IAM::Policy', documents)).toEqual([expect.stringContaining('SignDocuments')]);
  expect(usersOf('AWS::IAM::ManagedPolicy', documents)).toEqual([]);
  expect(usersOf('AWS::IAM::Policy', evidence)).toEqual([]);
  expect(usersOf('AWS::IAM::ManagedPolicy', evidence)).toEqual([expect.stringContaining('EvidenceSigner')]);
  template.hasOutput('SigningKey', { Value: documents });
  template.hasOutput('EvidenceKey', { Value: evidence });
  template.hasOutput('EvidenceSignerPolicy', {});
});

test('another key spec is another key, while the alias stays and moves to it', () => {
  const resourcesOf = (create: 'ECC_NIST_P256' | 'RSA_3072') => {
    const stack = new Stack(new App({ builtinCloudFormationValidation: false }));
    const stage = stageSettings('prod');
    signingKeys(stack, { ...stage, signing: { ...stage.signing, key: { create } } });
    const keys = Template.fromStack(stack);
    const [keyId = ''] = Object.keys(keys.findResources('AWS::KMS::Key'));
    const [[aliasId, alias] = []] = Object.entries(keys.findResources('AWS::KMS::Alias'));
    return { keyId, aliasId, target: alias?.Properties.TargetKeyId, name: alias?.Properties.AliasName };
  };
  const [before, after] = [resourcesOf('ECC_NIST_P256'), resourcesOf('RSA_3072')];
  expect(after.keyId).not.toBe(before.keyId);
  expect(after.aliasId).toBe(before.aliasId);
  expect(after.name).toBe('alias/loan-orders-prod-signing');
  expect(after.target).toEqual({ 'Fn::GetAtt': [after.keyId, 'Arn'] });
});

test('KMS keys that are given by their ARNs are used and not created', () => {
  const other = orderTemplate('prod', given);
  other.resourcePropertiesCountIs('AWS::KMS::Key', { KeyUsage: 'SIGN_VERIFY' }, 0);
  other.hasResourceProperties('AWS::IAM::Policy', keyRights(SIGNING_KEY));
  other.hasResourceProperties('AWS::IAM::ManagedPolicy', keyRights(EVIDENCE_KEY));
});

const functionsWith = (variable: string, change: (stage: Stage) => Stage) => {
  const stack = orderStack('prod', change);
  const named = functionsIn(stack).filter(({ environment }) => stack.resolve(environment).variables[variable]);
  return named.map(({ functionName }) => functionName?.replace('loan-orders-prod-', '')).sort();
};

const judging = Object.entries<Definition>(definitions).flatMap(([name, one]) => (one.judgesSignatures ? name : []));

test.each([
  ['caBundle', 'SIGNATURE_AUTHORITIES_FILE'],
  ['timeStampAuthorities', 'TIME_STAMP_AUTHORITIES_FILE'],
  ['crl', 'REVOCATION_LISTS_FILE'],
])('the functions that judge signatures have the file of signing.%s, and no others', (setting, variable) => {
  expect(judging.length).toBeGreaterThan(0);
  const change = (stage: Stage) => ({ ...stage, signing: { ...stage.signing, [setting]: 'its text' } });
  expect(functionsWith(variable, change)).toEqual(judging.sort());
});

test('who judges signatures may read the lists in intake, and the alarm watches when lists are asked for', () => {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
  const reading = policies.filter(([, policy]) => JSON.stringify(policy).includes('/signing/revocation-lists.pem'));
  expect(reading.map(([name]) => name)).toHaveLength(judging.length);
  const asking = orderTemplate('prod', (stage) => ({
    ...stage,
    network: { vpc: 'vpc-1', subnets: ['subnet-1'] },
    signing: { ...stage.signing, revocation: { from: ['lists'], unknown: 'wait' } },
  }));
  asking.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: Match.stringLikeRegexp('revocation-lists') });
  asking.hasResourceProperties('AWS::EC2::SecurityGroup', {
    SecurityGroupEgress: Match.arrayWith([Match.objectLike({ FromPort: 80 })]),
  });
});

test('the function that checks packages has the files of orderSchema and labels, and no other has', () => {
  const change = (stage: Stage) => ({ ...stage, orderSchema: '{"type":"object"}', labels: { inn: '/inn' } });
  expect(functionsWith('ORDER_SCHEMA_FILE', change)).toEqual(['check-package']);
  expect(functionsWith('LABELS_FILE', change)).toEqual(['check-package']);
});
