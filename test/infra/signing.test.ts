import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import type { Stage } from '../../infra/stages.ts';
import { orderTemplate } from '../helpers/template.ts';

const withKey = (key: Stage['signing']['key']) =>
  orderTemplate('prod', (stage) => ({ ...stage, signing: { ...stage.signing, mode: 'kms', key } }));
const keyRights = (resource: unknown) => ({
  PolicyDocument: {
    Statement: Match.arrayWith([
      Match.objectLike({ Action: ['kms:GetPublicKey', 'kms:Sign'], Resource: resource, Effect: 'Allow' }),
    ]),
  },
});

test('by default only the partner signs, and no KMS key signs', () => {
  const template = orderTemplate('prod');
  expect(JSON.stringify(template.toJSON())).not.toContain('kms:Sign');
});

test('the KMS key of the stack only signs, outlives a stage that keeps data, and can be used by one function', () => {
  const template = withKey({ create: 'ECC_NIST_P384' });
  template.hasResource('AWS::KMS::Key', {
    Properties: { KeySpec: 'ECC_NIST_P384', KeyUsage: 'SIGN_VERIFY' },
    DeletionPolicy: 'Retain',
  });
  const users = Object.keys(template.findResources('AWS::IAM::Policy', { Properties: keyRights(Match.anyValue()) }));
  expect(users).toEqual([expect.stringContaining('SignDocuments')]);
  template.hasOutput('SigningKey', {});
});

test('evidence has a key of its own: one function signs with the key for documents, and people only with the one for evidence', () => {
  const template = orderTemplate('prod', (stage) => ({
    ...stage,
    signing: { ...stage.signing, key: { create: 'ECC_NIST_P384' }, evidenceKey: { create: 'RSA_3072' } },
  }));
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
  template.hasResourceProperties('AWS::KMS::Key', { KeySpec: 'RSA_3072', KeyUsage: 'SIGN_VERIFY' });
  template.hasOutput('EvidenceKey', { Value: evidence });
  template.hasOutput('EvidenceSignerPolicy', {});
});

test('another key spec is another key, while the alias stays and moves to it', () => {
  const resourcesOf = (create: 'ECC_NIST_P256' | 'RSA_3072') => {
    const template = withKey({ create });
    const [keyId = ''] = Object.keys(template.findResources('AWS::KMS::Key'));
    const [[aliasId, alias] = []] = Object.entries(template.findResources('AWS::KMS::Alias'));
    return { keyId, aliasId, target: alias?.Properties.TargetKeyId, name: alias?.Properties.AliasName };
  };
  const [before, after] = [resourcesOf('ECC_NIST_P256'), resourcesOf('RSA_3072')];
  expect(after.keyId).not.toBe(before.keyId);
  expect(after.aliasId).toBe(before.aliasId);
  expect(after.name).toBe('alias/loan-orders-prod-signing');
  expect(after.target).toEqual({ 'Fn::GetAtt': [after.keyId, 'Arn'] });
});

test('KMS keys that are given by their ARNs are used and not created', () => {
  const [key, evidenceKey] = ['1', '2'].map((id) => `arn:aws:kms:eu-central-1:111122223333:key/${id}234abcd`);
  const template = orderTemplate('prod', (stage) => ({ ...stage, signing: { ...stage.signing, key, evidenceKey } }));
  template.resourcePropertiesCountIs('AWS::KMS::Key', { KeyUsage: 'SIGN_VERIFY' }, 0);
  template.hasResourceProperties('AWS::IAM::Policy', keyRights(key));
  template.hasResourceProperties('AWS::IAM::ManagedPolicy', keyRights(evidenceKey));
});

test.each([
  ['caBundle', 'SIGNATURE_AUTHORITIES_FILE'],
  ['timeStampAuthorities', 'TIME_STAMP_AUTHORITIES_FILE'],
  ['crl', 'REVOCATION_LISTS_FILE'],
])('the functions that judge signatures have the file of signing.%s, and no others', (setting, variable) => {
  const template = orderTemplate('prod', (stage) => ({
    ...stage,
    signing: { ...stage.signing, [setting]: 'its text' },
  }));
  const functions = Object.values(template.findResources('AWS::Lambda::Function'));
  const named = functions.filter(({ Properties }) => Properties.Environment?.Variables?.[variable] !== undefined);
  const judging = Object.entries<Definition>(definitions).flatMap(([name, { judgesSignatures }]) =>
    judgesSignatures ? [name] : [],
  );
  expect(judging.length).toBeGreaterThan(0);
  expect(named.map(({ Properties }) => Properties.FunctionName).sort()).toEqual(
    judging.map((name) => `loan-orders-prod-${name}`).sort(),
  );
});

test('the function that checks packages has the file of orderSchema, and no other has', () => {
  const template = orderTemplate('prod', (stage) => ({ ...stage, orderSchema: '{"type":"object"}' }));
  const named = Object.values(template.findResources('AWS::Lambda::Function')).filter(
    ({ Properties }) => Properties.Environment?.Variables?.ORDER_SCHEMA_FILE === 'order-schema.json',
  );
  expect(named.map(({ Properties }) => Properties.FunctionName)).toEqual(['loan-orders-prod-check-package']);
});
