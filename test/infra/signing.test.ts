import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import { signingKeys } from '../../infra/order/signing-key.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { functionsIn, orderStack, orderTemplate } from '../helpers/template.ts';
import { creating, EVIDENCE_KEY, given, SIGNING_KEY } from '../helpers/variants.ts';

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
  const aliases = Object.values(template.findResources('AWS::KMS::Alias')).map(({ Properties }) => [
    Properties.AliasName,
    Properties.TargetKeyId,
  ]);
  const keys = Object.fromEntries(aliases);
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

test('the function that checks packages has the file of orderSchema, and no other has', () => {
  const change = (stage: Stage) => ({ ...stage, orderSchema: '{"type":"object"}' });
  expect(functionsWith('ORDER_SCHEMA_FILE', change)).toEqual(['check-package']);
});
