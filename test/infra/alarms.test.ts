import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { alarmsIn, withAlarms } from '../helpers/alarms.ts';
import { orderTemplate, templateOf } from '../helpers/template.ts';

const TOPIC = 'arn:aws:sns:eu-central-1:111122223333:on-call';
const alarmsWith = (change: (stage: Stage) => Stage) => alarmsIn(orderTemplate('prod', change));

const prod = alarmsIn(templateOf('prod'));
/** The alarms of a stage that has everything that an alarm watches. */
const all = alarmsWith((stage) => ({ ...stage, orderService: { ...stage.orderService, clientCertificate: true } }));
const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const named = (name: string, alarms = prod) => {
  const one = alarms.find(({ AlarmName }) => AlarmName === `loan-orders-prod-${name}`);
  if (!one) throw new Error(`There is no alarm ${name}.`);
  return one;
};
const AT_LEAST = 'GreaterThanOrEqualToThreshold';
const STATUSES = [
  'received',
  'in-work',
  'waiting-for-documents',
  'waiting-for-signature',
  'offers-available',
  'offers-approved',
];

test('there is an alarm for each thing that needs a person, and none for failed executions', () => {
  expect(prod.map(({ AlarmName }) => AlarmName.replace('loan-orders-prod-', '')).sort()).toEqual(
    [
      'operator',
      ...STATUSES.map((status) => `unchanged-${status}`),
      'credentials-refused',
      'service-down',
      'dead-letters',
      'dead-letters-age',
      'events-late',
      'events-undelivered',
      'lambda-concurrency',
      'step-functions-throttled',
      'sweep',
      'paused',
      'events-behind',
    ].sort(),
  );
  expect(
    prod.filter(({ MetricName }) => /ExecutionsFailed|ExecutionsTimedOut|OrdersEnded/.test(MetricName ?? '')),
  ).toEqual([]);
});

test('business ends, Superseded and outages that heal by themselves are in no metric of an alarm', () => {
  const ours = prod.filter(({ Namespace }) => Namespace === 'LoanOrders');
  expect(new Set(ours.map(({ MetricName }) => MetricName))).toEqual(
    new Set([
      'OrdersWaiting',
      'UnchangedSeconds',
      'CallLatency',
      'CallsUnanswered',
      'Sweeps',
      'StagePausedSeconds',
      'EventsBehindSeconds',
    ]),
  );
  const values = ours.flatMap(({ Dimensions = [] }) => Dimensions.map(({ Value }) => Value));
  for (const end of ['CLOSED', 'VALIDATION_FAILED', 'Superseded', 'ServiceUnavailable'])
    expect(values).not.toContain(end);
});

test('an alarm of our own metrics looks at the stage alone', () => {
  for (const { Namespace, Dimensions } of prod) {
    if (Namespace === 'LoanOrders') expect(Dimensions).toContainEqual({ Name: 'stage', Value: 'prod' });
  }
});

const ignored = { TreatMissingData: 'ignore' };

test.each<[string, string, object]>([
  [
    'one order that waits for an operator is enough, and a missing sweep does not end the alarm',
    'operator',
    {
      MetricName: 'OrdersWaiting',
      Dimensions: expect.arrayContaining([{ Name: 'waitingFor', Value: 'operator' }]),
      ...{ Statistic: 'Maximum', Threshold: 1, ...ignored },
    },
  ],
  [
    'a pause of a day is long enough to have been forgotten',
    'paused',
    { MetricName: 'StagePausedSeconds', Threshold: 24 * 3600, ComparisonOperator: AT_LEAST, ...ignored },
  ],
  [
    'events are behind when the oldest has waited for half an hour, and a missing sweep does not end the alarm',
    'events-behind',
    {
      ...{ MetricName: 'EventsBehindSeconds', Statistic: 'Maximum', Threshold: 30 * 60 },
      ...{ ComparisonOperator: AT_LEAST, EvaluationPeriods: 1, ...ignored },
    },
  ],
  ['an order may be IN_WORK for three days', 'unchanged-in-work', { Threshold: 72 * 3600 }],
  ['near the quota means 80 % of it', 'lambda-concurrency', { Threshold: 800, EvaluationPeriods: 3 }],
  [
    'the service is down when half of the calls of a quarter of an hour got no usable answer',
    'service-down',
    { Statistic: 'Average', Threshold: 0.5, EvaluationPeriods: 3, Period: 300 },
  ],
  [
    'a client certificate has an alarm 30 days before it expires, which no pause of calls ends',
    'client-certificate',
    {
      ...{ MetricName: 'ClientCertificateSecondsLeft', Statistic: 'Minimum', Threshold: 30 * 86_400 },
      ...{ ComparisonOperator: 'LessThanThreshold', ...ignored },
    },
  ],
])('%s', (_title, name, expected) => {
  expect(named(name, all)).toMatchObject(expected);
});

test('limits are settings', () => {
  const unchangedHours = { ...stageSettings('prod').alarms.unchangedHours, IN_WORK: 5 };
  const changed = alarmsWith(withAlarms({ pausedHours: 2, unchangedHours, concurrentExecutions: 10 }));
  const limits = ['paused', 'unchanged-in-work', 'lambda-concurrency'].map((name) => named(name, changed).Threshold);
  expect(limits).toEqual([2 * 3600, 5 * 3600, 8]);
  expect(named('unchanged-in-work', changed).AlarmDescription).toContain('more than 5 hours');
});

test('one event that does not reach the queue of its function is enough, whichever rule it is of', () => {
  const { Metrics = [], Threshold } = named('events-undelivered') as { Metrics?: object[]; Threshold?: number };
  expect(Threshold).toBe(1);
  const rules = Object.keys(templateOf('prod').findResources('AWS::Events::Rule'));
  expect(Metrics.filter((one) => 'MetricStat' in one)).toEqual(
    rules.map((Ref) =>
      expect.objectContaining({
        MetricStat: expect.objectContaining({
          Metric: {
            Namespace: 'AWS/Events',
            MetricName: 'FailedInvocations',
            Dimensions: [{ Name: 'RuleName', Value: { Ref } }],
          },
          Stat: 'Sum',
        }),
      }),
    ),
  );
});

test('the sweep alarm goes off when nothing is published, after three sweeps and 15 minutes at least', () => {
  expect(named('sweep')).toMatchObject({
    MetricName: 'Sweeps',
    Threshold: 1,
    ComparisonOperator: 'LessThanThreshold',
    TreatMissingData: 'breaching',
    Period: 900,
  });
  const hourly = alarmsWith((stage) => ({ ...stage, sweep: { ...stage.sweep, everyMinutes: 60 } }));
  expect(named('sweep', hourly).Period).toBe(3 * 3600);
  expect(named('operator', hourly).Period).toBe(2 * 3600);
});

test('a dead letter that is looked at stays in the second alarm: it counts hours with dead letters, not the age', () => {
  // CloudWatch stops to count the age of a message that was received three times (Amazon SQS, "Available CloudWatch metrics").
  const { EvaluationPeriods, Threshold, Metrics = [] } = named('dead-letters-age');
  const found = Metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat] : []));
  expect(found.length).toBeGreaterThan(3);
  for (const { Metric, Period, Stat } of found) {
    expect([Metric.MetricName, Period, Stat]).toEqual(['ApproximateNumberOfMessagesVisible', 3600, 'Maximum']);
  }
  expect({ EvaluationPeriods, Threshold }).toEqual({ EvaluationPeriods: 24, Threshold: 1 });
});

describe('the text of an alarm', () => {
  test('is one plain sentence and a link to its section', () => {
    for (const { AlarmDescription } of prod) {
      expect(AlarmDescription).toMatch(/^[A-Z][^.]*\. See docs\/[a-z-]+\.md#[a-z-]+$/);
    }
  });

  test('links the address of the documentation if the stage names it', () => {
    const linked = alarmsWith(withAlarms({ documentation: 'https://docs.partner.example/loan-orders/' }));
    expect(named('sweep', linked).AlarmDescription).toMatch(
      / See https:\/\/docs\.partner\.example\/loan-orders\/operations\.md#alarm-sweep$/,
    );
  });

  test('links a section that exists, and every section of an alarm is linked', () => {
    const sections = [...operations.matchAll(/^### Alarm: (.+)$/gm)].map(([, name]) => `alarm-${name}`);
    const linked = all.map(({ AlarmDescription }) => AlarmDescription.split('operations.md#')[1]);
    expect([...new Set(linked)].sort()).toEqual(sections.sort());
  });

  test('has a row in the table that says how urgent it is and who answers it, and the table has no other row', () => {
    const [, table = ''] = operations.split(/^\| Alarm \| Urgency \| Team \|.*\n\|[-| ]+\|\n/m);
    const rows = (table.split('\n\n')[0] ?? '').split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
    const listed = rows.flatMap(([, names = '']) => [...names.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
    expect(listed.sort()).toEqual(all.map(({ AlarmName }) => AlarmName.replace('loan-orders-prod-', '')).sort());
    for (const [, names, urgency, team] of rows) {
      expect(['night', 'working day'], names).toContain(urgency);
      expect(['platform', 'operator', 'credit desk'], names).toContain(team);
    }
  });

  test('leads to a section that says what the alarm means, what is safe and what to do', () => {
    const parts = operations.split(/^##+ /m).filter((part) => part.startsWith('Alarm: '));
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) {
      for (const label of ['- **Means:**', '- **Safe:**', '- **Do:**']) expect(part).toContain(label);
    }
  });
});

test('settings of alarms that cannot be used are refused by name', () => {
  const { name: _name, ...settings } = stageSettings('test');
  const using = (alarms: object) => () =>
    stageSettings('test', { test: { ...settings, alarms: { ...settings.alarms, ...alarms } } });
  expect(using({})).not.toThrow();
  expect(using({ topicArn: TOPIC, createTopic: true })).toThrow(
    'test.alarms: must have topicArn or createTopic, not both',
  );
  expect(using({ topicArn: 'on-call' })).toThrow('test.alarms.topicArn: must be the ARN of an SNS topic');
  expect(using({ documentation: 'http://docs' })).toThrow('test.alarms.documentation: must begin with https://');
  expect(using({ unchangedHours: { ...settings.alarms.unchangedHours, IN_WORK: 0 } })).toThrow(
    'test.alarms.unchangedHours.IN_WORK:',
  );
  expect(using({ unchangedHours: { ...settings.alarms.unchangedHours, CLOSED: 5 } })).toThrow(
    'test.alarms.unchangedHours:',
  );
  expect(using({ deadLetterHours: 168 })).not.toThrow();
  expect(using({ deadLetterHours: 169 })).toThrow('test.alarms.deadLetterHours: must be from 1 to 168');
});
