import { expect, onTestFinished, test, vi } from 'vitest';
import { laptopStage } from '../../../laptop/laptop-stage.ts';
import { stagesWith } from '../../helpers/stage-files.ts';

const orderService = { baseUrl: 'https://orders.bank.ru', authorizationUrl: 'https://login.bank.ru' };
const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1';

function onLaptop(settings: object) {
  vi.stubEnv('LOAN_ORDERS_STAGES', stagesWith({ 'retail.json': { orderService, ...settings } }));
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => laptopStage('retail');
}

test.each<[string, object]>([
  ['network', { network: { vpc: 'vpc-0a1b2c3d', subnets: ['subnet-0a1b2c3d'] } }],
  ['permissionsBoundary', { permissionsBoundary: 'bounds' }],
  ['buckets.intake, existing.table', { buckets: { intake: 'ours' }, existing: { table: 'restored' } }],
  ['buckets.staging, signing.key', { buckets: { staging: 'ours' }, signing: { key: ARN } }],
  ['signing.evidenceKey', { signing: { key: { create: 'RSA_2048' }, evidenceKey: ARN } }],
  ['orderService.clientCertificate', { orderService: { ...orderService, clientCertificate: true } }],
])('a stage with %s is refused in one sentence', (names, settings) => {
  expect(onLaptop(settings)).toThrow(
    `Stage retail cannot run on the laptop, which has nothing of your account or network: ${names}. Try a copy of its file without that.`,
  );
});

test('any other stage runs on the laptop, and without a name the stage local', () => {
  expect(onLaptop({ encryption: ARN, namePrefix: 'acme', account: '111122223333' })().name).toBe('retail');
  expect(laptopStage().name).toBe('local');
  expect(() => laptopStage('rehearsal')).toThrow('"npx loan-orders --local rehearse" runs it.');
});
