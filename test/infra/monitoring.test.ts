import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { orderTemplate, templateOf } from '../helpers/template.ts';
import { creating } from '../helpers/variants.ts';

interface Widget {
  type: string;
  x: number;
  width: number;
  properties: { title: string; metrics: unknown[][] };
}

const [traced, prod] = [orderTemplate('prod', creating), templateOf('prod')];
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
  const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
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
  expect(JSON.stringify(prod)).not.toMatch(/xray:|Tracing/);
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
  const queries = Object.values(prod.findResources('AWS::Logs::QueryDefinition'));
  expect(queries.map(({ Properties }) => Properties.Name)).toEqual(
    ['One order', 'Failures', 'Slow calls', 'Refused calls', 'One request'].map((name) => `loan-orders-prod/${name}`),
  );
  const groups = Object.entries(prod.findResources('AWS::Logs::LogGroup')).map(([id, { Properties }]) =>
    Properties.LogGroupName.startsWith('/aws/vendedlogs/') ? Properties.LogGroupName : { Ref: id },
  );
  for (const { Properties } of queries) {
    expect(Properties.LogGroupNames).toHaveLength(groups.length);
    expect(Properties.LogGroupNames).toEqual(expect.arrayContaining(groups));
  }
});
