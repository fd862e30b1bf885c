import { readFileSync } from 'node:fs';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { alarmsIn, TOPIC, withAlarms } from '../helpers/alarms.ts';
import { orderStack, orderTemplate, templateOf, warningsOf } from '../helpers/template.ts';
import { creating, given } from '../helpers/variants.ts';

const prod = alarmsIn(templateOf('prod'));
const all = alarmsIn(orderTemplate('prod', creating));
const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const named = (name: string, alarms = prod) => {
  const one = alarms.find(({ AlarmName }) => AlarmName === `loan-orders-prod-${name}`);
  if (!one) throw new Error(`There is no alarm ${name}.`);
  return one;
};
test('business ends, failed executions and outages that heal by themselves are in no metric of an alarm', () => {
  const values = prod.flatMap(({ Dimensions = [] }) => Dimensions.map(({ Value }) => Value));
  for (const end of ['CLOSED', 'VALIDATION_FAILED', 'Superseded', 'ServiceUnavailable'])
    expect(values).not.toContain(end);
  const ended = /ExecutionsFailed|ExecutionsTimedOut|OrdersEnded|OrdersInterrupted/;
  expect(prod.filter(({ MetricName = '' }) => ended.test(MetricName))).toEqual([]);
});

test('an alarm of our own metrics looks at the stage alone', () => {
  for (const { Dimensions } of prod.filter(({ Namespace }) => Namespace === 'LoanOrders'))
    expect(Dimensions).toContainEqual({ Name: 'stage', Value: 'prod' });
});

function conditionOf(name: string, alarms = all): string {
  const { MetricName, Statistic, Period, ...alarm } = named(name, alarms);
  const sign = alarm.ComparisonOperator === 'LessThanThreshold' ? '<' : '>=';
  const measured = MetricName === undefined ? '' : `${Statistic} of ${MetricName} in ${Period} s `;
  return `${measured}${sign} ${alarm.Threshold}, ${alarm.EvaluationPeriods} in a row, missing: ${alarm.TreatMissingData}`;
}

const changed = alarmsIn(
  orderTemplate('prod', (stage) => ({
    ...withAlarms({ concurrentExecutions: 10 })(stage),
    sweep: { ...stage.sweep, everyMinutes: 60 },
  })),
);

test.each([
  ['operator', 'Maximum of OrdersWaiting in 600 s >= 1, 1 in a row, missing: ignore'],
  ['operator', 'Maximum of OrdersWaiting in 7200 s >= 1, 1 in a row, missing: ignore', changed],
  ['unchanged-in-work', 'Maximum of UnchangedSeconds in 600 s >= 259200, 1 in a row, missing: notBreaching'],
  ['outage', 'Maximum of OutageSeconds in 600 s >= 1200, 1 in a row, missing: ignore'],
  ['service-down', 'Average of CallsUnanswered in 300 s >= 0.5, 3 in a row, missing: ignore'],
  ['sweep', 'Sum of Sweeps in 900 s < 1, 1 in a row, missing: breaching'],
  ['sweep', 'Sum of Sweeps in 10800 s < 1, 1 in a row, missing: breaching', changed],
  ['paused', 'Maximum of StagePausedSeconds in 600 s >= 86400, 1 in a row, missing: ignore'],
  ['events-behind', 'Maximum of EventsBehindSeconds in 600 s >= 1800, 1 in a row, missing: ignore'],
  ['client-certificate', 'Minimum of ClientCertificateSecondsLeft in 3600 s < 2592000, 1 in a row, missing: ignore'],
  ['lambda-concurrency', 'Maximum of ConcurrentExecutions in 300 s >= 800, 3 in a row, missing: notBreaching'],
  ['lambda-concurrency', 'Maximum of ConcurrentExecutions in 300 s >= 8, 3 in a row, missing: notBreaching', changed],
  ['events-undelivered', '>= 1, 1 in a row, missing: notBreaching'],
  // A dead letter that is looked at stays in the alarm: it counts hours with dead letters, not their age.
  ['dead-letters-age', '>= 1, 24 in a row, missing: notBreaching'],
])('%s: %s', (name, condition, alarms = all) => {
  expect(conditionOf(name, alarms)).toBe(condition);
});

test.each([
  ['events-undelivered', 'FailedInvocations', 'Sum', 300, 3],
  ['dead-letters-age', 'ApproximateNumberOfMessagesVisible', 'Maximum', 3600, 4],
])('%s looks at the metric %s of every rule or queue', (name, metric, statistic, period, count) => {
  const found = named(name).Metrics?.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat] : [])) ?? [];
  expect(found).toHaveLength(count);
  expect(new Set(found.map(({ Metric }) => JSON.stringify(Metric))).size).toBe(count);
  for (const { Metric, Period, Stat } of found)
    expect([Metric.MetricName, Period, Stat]).toEqual([metric, period, statistic]);
});

describe('the text of an alarm', () => {
  test('is one plain sentence and a link to its section', () => {
    for (const { AlarmDescription } of prod)
      expect(AlarmDescription).toMatch(/^[A-Z][^.]*\. See docs\/[a-z-]+\.md#[a-z-]+$/);
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
    for (const part of parts)
      for (const label of ['- **Means:**', '- **Safe:**', '- **Do:**']) expect(part).toContain(label);
  });
});

describe('the topic', () => {
  test('is that of the stack by default, and every alarm notifies it', () => {
    const [topic] = Object.keys(templateOf('prod').findResources('AWS::SNS::Topic'));
    expect(prod.length).toBeGreaterThan(10);
    for (const one of all) expect(one).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
  });

  test('without a subscriber causes a warning, except on the laptop and in a rehearsal', () => {
    const warnings = (stage: string, alarms: Partial<Stage['alarms']> = {}) =>
      warningsOf(orderStack(stage, withAlarms(alarms))).filter((text) => text.includes('nobody of its alarms'));
    expect(warnings('prod')).toHaveLength(1);
    expect(warnings('prod', { notify: 'ops@partner.ru' })).toEqual([]);
    expect(warnings('prod', { notify: TOPIC })).toEqual([]);
    for (const unwatched of ['local', 'rehearsal']) expect(warnings(unwatched)).toEqual([]);
    templateOf('local').resourceCountIs('AWS::SNS::Topic', 0);
  });

  test('of the partner is notified by every alarm, when it goes off and when it is over', () => {
    const template = orderTemplate('prod', given);
    template.resourceCountIs('AWS::SNS::Topic', 0);
    const notified = alarmsIn(template).map(({ AlarmActions, OKActions }) => [AlarmActions, OKActions]);
    expect(notified.length).toBeGreaterThan(2);
    for (const one of notified) expect(one).toEqual([[TOPIC], [TOPIC]]);
  });

  test('that the stack creates notifies an e-mail address', () => {
    const subscription = { Protocol: 'email', Endpoint: 'ops@partner.ru' };
    orderTemplate('prod', creating).hasResourceProperties('AWS::SNS::Subscription', subscription);
  });

  test('that the stack creates is encrypted, accepts only TLS, and only from alarms of the stage', () => {
    const template = templateOf('prod');
    template.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: Match.anyValue() });
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike({
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: 'sns:Publish',
            Condition: {
              StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
              ArnLike: { 'aws:SourceArn': Match.anyValue() },
            },
          }),
        ]),
      },
    });
    template.hasResourceProperties('AWS::KMS::Key', {
      EnableKeyRotation: true,
      KeyPolicy: {
        Statement: Match.arrayWith([Match.objectLike({ Principal: { Service: 'cloudwatch.amazonaws.com' } })]),
      },
    });
    template.hasOutput('AlarmTopicArn', {});
  });

  test('uses the key of the stack if there is one', () => {
    const template = orderTemplate('prod', creating);
    const keys = template.findResources('AWS::KMS::Key', {
      Properties: { KeyPolicy: { Statement: Match.arrayWith([Match.objectLike({ Sid: 'EventsIntoQueues' })]) } },
    });
    const [[id = '', key] = []] = Object.entries(keys);
    expect(JSON.stringify(key)).toContain('NotificationsOfAlarms');
    template.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: { 'Fn::GetAtt': [id, 'Arn'] } });
  });
});

interface Widget {
  type: string;
  x: number;
  width: number;
  properties: { title: string; metrics: unknown[][] };
}

const [traced, monitored] = [orderTemplate('prod', creating), templateOf('prod')];
const resources = Object.values(traced.findResources('AWS::CloudWatch::Dashboard'));

/** The body as CloudFormation sends it, with a text in place of every name that only a deployment knows. */
function bodyOf(body: string | { 'Fn::Join': [string, unknown[]] }): string {
  if (typeof body === 'string') return body;
  const [separator, parts] = body['Fn::Join'];
  return parts.map((part) => (typeof part === 'string' ? part : 'name-of-the-deployment')).join(separator);
}

const { widgets } = JSON.parse(bodyOf(resources[0]?.Properties.DashboardBody)) as { widgets: Widget[] };
const text = JSON.stringify(widgets);

test('the body is valid JSON, every chart has a title of its own and metrics, and fits into the width', () => {
  expect(widgets.length).toBeGreaterThan(12);
  const titles = widgets.map(({ properties }) => properties.title);
  expect(new Set(titles).size).toBe(titles.length);
  for (const { type, x, width, properties } of widgets) {
    expect(type).toBe('metric');
    expect(properties.title).toMatch(/^[A-Z]/);
    expect(properties.metrics.length).toBeGreaterThan(0);
    expect(x + width).toBeLessThanOrEqual(24);
  }
});

test("docs/operations.md lists exactly the functions' metrics that the dashboard shows", () => {
  const table = operations.split('\n## Metrics\n')[1]?.split('\n## ')[0] ?? '';
  const listed = [...table.matchAll(/^\| `([A-Za-z]+)` \|/gm)].map(([, name]) => name);
  const shown = [...text.matchAll(/"LoanOrders","(\w+)"|\{LoanOrders,[^}]*\} MetricName=\\+"(\w+)/g)];
  expect(new Set(shown.map(([, name, searched]) => name ?? searched))).toEqual(new Set(listed));
});

test('a search finds the metrics of this stage alone', () => {
  const searches = widgets.flatMap(({ properties }) =>
    properties.metrics.flatMap(([first]) => (first as { expression?: string }).expression ?? []),
  );
  expect(searches.length).toBeGreaterThan(4);
  for (const search of searches)
    expect(search).toMatch(/^SEARCH\('\{LoanOrders,stage,[a-z,]+\} .*stage="prod"', '\w+', 300\)$/);
});

test('X-Ray traces every function and the state machine, if the stage says so', () => {
  const functions = Object.values(traced.findResources('AWS::Lambda::Function'));
  expect(functions.map(({ Properties }) => Properties.TracingConfig)).toEqual(
    functions.map(() => ({ Mode: 'Active' })),
  );
  const [machine] = Object.values(traced.findResources('AWS::StepFunctions::StateMachine'));
  expect(machine?.Properties.TracingConfiguration).toEqual({ Enabled: true });
  expect(JSON.stringify(monitored)).not.toMatch(/xray:|Tracing/);
});

test('functions may only write traces, and the state machine may also ask which ones to write', () => {
  const policies = Object.values(traced.findResources('AWS::IAM::Policy'));
  const statements: { Action: string[] }[] = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
  const sets = statements
    .map(({ Action }) =>
      [Action]
        .flat()
        .flatMap((action) => /^xray:(.*)/.exec(action)?.[1] ?? [])
        .join(' '),
    )
    .filter((actions) => actions !== '');
  const functions = Object.keys(traced.findResources('AWS::Lambda::Function')).length;
  const write = 'PutTelemetryRecords PutTraceSegments';
  expect(sets.sort()).toEqual([
    `GetSamplingRules GetSamplingTargets ${write}`,
    ...Array.from({ length: functions }, () => write),
  ]);
});

test('the saved queries look at the log groups of all functions and of the state machine', () => {
  const queries = Object.values(monitored.findResources('AWS::Logs::QueryDefinition'));
  expect(queries.map(({ Properties }) => Properties.Name)).toEqual(
    ['One order', 'Failures', 'Slow calls', 'Refused calls', 'One request'].map((name) => `loan-orders-prod/${name}`),
  );
  const groups = Object.entries(monitored.findResources('AWS::Logs::LogGroup')).map(([id, { Properties }]) =>
    Properties.LogGroupName.startsWith('/aws/vendedlogs/') ? Properties.LogGroupName : { Ref: id },
  );
  for (const { Properties } of queries) {
    expect(Properties.LogGroupNames).toHaveLength(groups.length);
    expect(Properties.LogGroupNames).toEqual(expect.arrayContaining(groups));
  }
});
