import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { definitions as legacyDefinitions } from '../../bank-exchange/infra/function-definitions.ts';
import { legacyStack } from '../../bank-exchange/test/helpers/template.ts';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { makeAuthority, makeSigner, toPem } from '../../packages/detached-signatures/certificates.ts';
import { orderStack } from '../helpers/template.ts';

const ARN = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:bank/client-a1B2c3';
const { name: _name, ...settings } = stageSettings('test');
const checked = (connection: Record<string, unknown>) =>
  stageSettings('test', { test: { ...settings, orderService: { ...settings.orderService, ...connection } } });
const withAuthorities = (stage: Stage) => {
  const caBundle = toPem(makeAuthority().certificate);
  return {
    ...stage,
    orderService: { ...stage.orderService, caBundle },
    legacyExchange: { ...stage.legacyExchange, caBundle },
  };
};
const withCertificate = (clientCertificate: true | string) => (stage: Stage) => ({
  ...stage,
  orderService: { ...stage.orderService, clientCertificate },
  legacyExchange: { ...stage.legacyExchange, clientCertificate },
});

test('the client certificate and the authorities of the service are optional, and are checked', () => {
  expect(checked({}).orderService).not.toHaveProperty('clientCertificate');
  for (const clientCertificate of [true, ARN]) expect(checked({ clientCertificate })).toBeDefined();
  for (const clientCertificate of [false, 'bank/client', ARN.replace('-a1B2c3', '')]) {
    expect(() => checked({ clientCertificate })).toThrow(
      'test.orderService.clientCertificate: must be true, or the whole ARN of a secret',
    );
  }
  const authorities = toPem(makeAuthority().certificate);
  expect(checked({ caBundle: `# ours\n${authorities}` }).orderService.caBundle).toContain('BEGIN CERTIFICATE');
  const leaf = toPem(makeSigner('p-256').certificate);
  expect(() => checked({ caBundle: leaf })).toThrow(
    "test.orderService.caBundle: has a certificate that is not an authority's",
  );
  expect(() => checked({ caBundle: 'none.pem' })).toThrow(
    'test.orderService.caBundle: is neither PEM text nor the path',
  );
});

describe.each([
  ['orders', orderStack, definitions, 'loan-orders-prod-client-certificate'],
  ['exchange', legacyStack, legacyDefinitions, 'loan-orders-prod-legacy-client-certificate'],
] as const)('the stack of the %s', (_title, stack, all, secretName) => {
  const templateWith = (value: true | string) => Template.fromStack(stack('prod', withCertificate(value)));
  const calling = Object.values(all as Record<string, Pick<Definition, 'callsService'>>).filter(
    (one) => one.callsService,
  );

  /** How many functions have the secret in their environment, and how many policies of roles name it. */
  function users(template: Template, arn: unknown) {
    const Environment = { Variables: { CLIENT_CERTIFICATE_SECRET: arn } };
    const functions = Object.keys(template.findResources('AWS::Lambda::Function', { Properties: { Environment } }));
    const policies = Object.values(template.findResources('AWS::IAM::Policy')).map((policy) => JSON.stringify(policy));
    return {
      functions: functions.length,
      policies: policies.filter((policy) => policy.includes(JSON.stringify(arn))).length,
    };
  }

  test('has no secret for a certificate by default', () => {
    const template = Template.fromStack(stack('prod'));
    template.resourceCountIs('AWS::SecretsManager::Secret', 1);
    expect(JSON.stringify(template.toJSON())).not.toContain('CLIENT_CERTIFICATE_SECRET');
  });

  test('creates a secret without a value, which only the functions that call the service may read', () => {
    const template = templateWith(true);
    const found = template.findResources('AWS::SecretsManager::Secret', { Properties: { Name: secretName } });
    const [[id = '', secret] = []] = Object.entries(found);
    expect(secret).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate' });
    expect(secret?.Properties).not.toHaveProperty('GenerateSecretString');
    expect(secret?.Properties).not.toHaveProperty('SecretString');
    expect(users(template, { Ref: id })).toEqual({ functions: calling.length, policies: calling.length });
    template.hasOutput('ClientCertificateSecret', { Value: { Ref: id } });
  });

  test('names the file of the authorities to the functions that call the service', () => {
    const Environment = { Variables: { SERVICE_AUTHORITIES_FILE: 'service-authorities.pem' } };
    const named = (template: Template) =>
      Object.keys(template.findResources('AWS::Lambda::Function', { Properties: { Environment } })).length;
    expect(named(Template.fromStack(stack('prod')))).toBe(0);
    expect(named(Template.fromStack(stack('prod', withAuthorities)))).toBe(calling.length);
  });

  test('uses the secret that the stage names', () => {
    const template = templateWith(ARN);
    template.resourceCountIs('AWS::SecretsManager::Secret', 1);
    expect(users(template, ARN)).toEqual({ functions: calling.length, policies: calling.length });
  });
});
