import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { deployed } from '../../../test/helpers/deployed.ts';
import { exchangeTemplate } from '../helpers/template.ts';

const prod = exchangeTemplate('prod');

test('what the exchange stack of stage prod deploys, who may do what, and its state machine match the snapshot', async () => {
  const text = stringify(deployed(prod), { lineWidth: 0 });
  await expect(text).toMatchFileSnapshot('__snapshots__/LoanOrdersLegacy-prod.yaml');
});

test('two schedules start the exchange state machine, each at its own rate and with its own work', () => {
  const changed = exchangeTemplate('prod', undefined, { fetchRequestsEveryMinutes: 1, fetchInnsEveryMinutes: 90 });
  const schedules = Object.values(changed.findResources('AWS::Scheduler::Schedule'));
  const facts = schedules.map(({ Properties }) => [Properties.ScheduleExpression, Properties.Target.Input]);
  expect(facts).toEqual([
    ['rate(1 minute)', '{"work":"fetch-requests"}'],
    ['rate(90 minutes)', '{"work":"fetch-inns"}'],
  ]);
  prod.allResourcesProperties('AWS::Scheduler::Schedule', {
    State: 'ENABLED',
    Target: { DeadLetterConfig: Match.anyValue(), RetryPolicy: Match.anyValue() },
  });
});

test('S3 tells the bank of every staged file, and the exchange of every file in intake', () => {
  prod.allResourcesProperties('AWS::S3::Bucket', {
    NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
  });
});
