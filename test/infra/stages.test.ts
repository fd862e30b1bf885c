import { expect, test } from 'vitest';
import { stageSettings } from '../../infra/stages.ts';

const good = stageSettings('test');
const { name: _name, ...settings } = good;
const reject = (change: Record<string, unknown>) => () => stageSettings('test', { test: { ...settings, ...change } });

test.each(['test', 'prod', 'local'])('the settings of the stage %s are complete', (name) => {
  expect(stageSettings(name)).toMatchObject({ name });
});

test('an unknown or missing stage is refused with the names of the stages', () => {
  expect(() => stageSettings('production')).toThrow('Stage production is unknown: use -c stage=<test | prod | local>.');
  expect(() => stageSettings(undefined)).toThrow('Stage (none) is unknown');
  expect(() => stageSettings('toString')).toThrow('is unknown');
});

test('account and region are optional, and their shapes are checked', () => {
  expect(good.account).toBeUndefined();
  const here = { account: '111122223333', region: 'ap-southeast-2' };
  expect(stageSettings('test', { test: { ...settings, ...here } })).toMatchObject(here);
  expect(reject({ account: '1111-2222-3333' })).toThrow('test.account: must be 12 digits');
  expect(reject({ account: 111122223333 })).toThrow('test.account:');
  expect(reject({ region: 'Frankfurt' })).toThrow('test.region: must be the name of a region, such as eu-central-1');
});

test('every missing or invalid setting is named', () => {
  const { token: _token, ...withoutToken } = settings;
  expect(() => stageSettings('test', { test: withoutToken })).toThrow('test.token:');
  expect(reject({ orderService: { ...good.orderService, baseUrl: 'orders' } })).toThrow('test.orderService.baseUrl:');
  expect(reject({ orderService: { ...good.orderService, baseUrl: 'ftp://orders' } })).toThrow(
    'test.orderService.baseUrl:',
  );
  expect(reject({ orderService: { ...good.orderService, baseUrl: 'http://orders.bank.ru' } })).toThrow(
    'test.orderService.baseUrl: must start with https://',
  );
  expect(reject({ signaturesDeadlineDays: '30' })).toThrow('test.signaturesDeadlineDays:');
  expect(reject({ readsPerExecution: 10_000 })).toThrow('test.readsPerExecution:');
  expect(reject({ readsPerExecution: 21, unusableReadsLimit: 22 })).toThrow(
    'test.: must have unusableReadsLimit <= readsPerExecution',
  );
  expect(reject({ orderService: { ...good.orderService, otherStatuses: { QUEUED: 'IN_LINE' } } })).toThrow(
    'test.orderService.otherStatuses.QUEUED:',
  );
  expect(reject({ orderService: { ...good.orderService, names: { orderId: 'id' } } })).toThrow(
    'test.orderService.names.confirmCode:',
  );
  expect(reject({ pollAfterSeconds: { ...good.pollAfterSeconds, minimum: 10, fallback: 7 } })).toThrow(
    'test.pollAfterSeconds: must have',
  );
  for (const growth of [-0.1, 1.1, '0.05', undefined]) {
    expect(reject({ pollAfterSeconds: { ...good.pollAfterSeconds, growth } })).toThrow('test.pollAfterSeconds.growth:');
  }
  expect(reject({ outagePatienceHours: 0 })).toThrow('test.outagePatienceHours:');
  expect(reject({ offers: { ...good.offers, confirmedStatus: 'AVAILABLE' } })).toThrow(
    'test.offers.confirmedStatus: must be a status other than AVAILABLE',
  );
  expect(reject({ limits: { ...good.limits, documents: 101 } })).toThrow('test.limits.documents:');
  expect(reject({ limits: { ...good.limits, answerBytes: 1000 } })).toThrow('test.limits.answerBytes:');
  expect(reject({ limits: { ...good.limits, orderJsonBytes: 8 * 2 ** 20, packageBytes: 2 ** 20 } })).toThrow(
    'test.limits: must have orderJsonBytes <= packageBytes',
  );
  expect(reject({ signingDeadlineDays: 3 })).toThrow('signingDeadlineDays');
  expect(reject({ keepData: 'no', logRetentionDays: 8 })).toThrow(/test\.logRetentionDays.*\n?.*test\.keepData/s);
});
