import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { orderTemplate } from '../helpers/template.ts';
import { creating } from '../helpers/variants.ts';

interface Widget {
  type: string;
  x: number;
  width: number;
  properties: { title: string; metrics: unknown[][] };
}

const resources = Object.values(orderTemplate('prod', creating).findResources('AWS::CloudWatch::Dashboard'));

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
