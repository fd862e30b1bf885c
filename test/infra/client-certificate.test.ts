import { makeAuthority, makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { describe, expect, test } from 'vitest';
import type { ConnectionSettings } from '../../infra/connection-settings.ts';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import { stageSettings } from '../../infra/stages.ts';
import { CERTIFICATE_ARN, connectionRules } from '../helpers/stack-rules.ts';
import { orderTemplate } from '../helpers/template.ts';

const { name: _name, ...settings } = stageSettings('test');
const checked = (connection: Record<string, unknown>) =>
  stageSettings('test', { test: { ...settings, orderService: { ...settings.orderService, ...connection } } });
const ordersWith = (connection: ConnectionSettings) =>
  orderTemplate('prod', (stage) => ({ ...stage, orderService: { ...stage.orderService, ...connection } }));

test('the client certificate and the authorities of the service are optional, and are checked', () => {
  expect(checked({}).orderService).not.toHaveProperty('clientCertificate');
  for (const clientCertificate of [true, CERTIFICATE_ARN]) expect(checked({ clientCertificate })).toBeDefined();
  for (const clientCertificate of [false, 'bank/client', CERTIFICATE_ARN.replace('-a1B2c3', '')]) {
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

const calling = Object.values<Definition>(definitions).filter(({ callsService }) => callsService).length;
describe('the connection to the service', () => {
  connectionRules(ordersWith, calling, 'loan-orders-prod-client-certificate');
});
