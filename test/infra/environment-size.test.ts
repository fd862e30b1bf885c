import { describe, expect, test } from 'vitest';
import { environmentBytes } from '../../infra/constructs/environment-size.ts';
import { orderTemplate } from '../helpers/template.ts';

const LIMIT = 4_096;

const withRule = (rule: string) => () =>
  orderTemplate('prod', (stage) => ({ ...stage, offers: { ...stage.offers, choose: 'rule' as const, rule } }));

describe('the size of an environment', () => {
  test('is that of its JSON, which Lambda measures, with everything that JSON escapes', () => {
    expect(environmentBytes({ A: 'b' }, 'Stack')).toBe('{"A":"b"}'.length);
    expect(environmentBytes({ A: '"\n' }, 'Stack')).toBe('{"A":"\\"\\n"}'.length);
    expect(environmentBytes({ A: 'Ж' }, 'Stack')).toBe('{"A":"xx"}'.length);
  });

  test('has room for the longest names that a deployment can give the resources', () => {
    const reference = { Ref: 'StorageIntake0E0CFFF9' };
    const name = 'loanorders-prod-storageintake0e0cfff9-1a2b3c4d5e6f';
    expect(environmentBytes({ A: reference }, 'LoanOrders-prod')).toBeGreaterThan(`{"A":"${name}"}`.length);
    const arn = {
      'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':states:', { Ref: 'AWS::Region' }, ':machine']],
    };
    expect(environmentBytes({ A: arn }, 'Stack')).toBeGreaterThanOrEqual(
      '{"A":"arn:aws-us-gov:states:ap-southeast-2:machine"}'.length,
    );
  });
});

test('a rule that is too long for an environment fails the synth with the function and what to do', () => {
  expect(withRule('x'.repeat(LIMIT))).toThrow(
    /loan-orders-prod-check-package has up to [45]\d{3} bytes in its environment, and Lambda allows 4096\. The largest is OFFERS_RULE with \d+ bytes: shorten offers\.rule in infra\/stages\.ts, or let each package bring its own rule\./,
  );
  expect(withRule('x'.repeat(LIMIT))).toThrow('loan-orders-prod-choose-offer has up to');
});

test('the environment of every function is measured', () => {
  const otherStatuses = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`STATUS_${at}`, 'IN_WORK' as const]),
  );
  const orders = () =>
    orderTemplate('prod', (stage) => ({ ...stage, orderService: { ...stage.orderService, otherStatuses } }));
  for (const name of ['create-order', 'read-order', 'upload-document', 'accept-order', 'confirm-offer']) {
    expect(orders).toThrow(`loan-orders-prod-${name} has up to`);
  }
  expect(orders).toThrow('The largest is OTHER_STATUSES with');
});
