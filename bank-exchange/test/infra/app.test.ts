import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import cdk from '../../../cdk.json' with { type: 'json' };
import { createApp } from '../../../infra/app.ts';
import { deployed } from '../../../test/helpers/deployed.ts';
import { withoutTraces } from '../../../test/helpers/template.ts';
import { addExchange } from '../../infra/app.ts';
import { exchangeTemplate } from '../helpers/template.ts';

function synthesize(context: Record<string, string>): Record<string, string> {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'app-'));
  const all = { ...cdk.context, 'aws:cdk:bundling-stacks': [], stage: 'prod', ...context };
  withoutTraces(() => {
    const app = createApp({ outdir, context: all });
    addExchange(app);
    app.synth();
  });
  const files = readdirSync(outdir).filter((file) => file.endsWith('.template.json'));
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(outdir, file), 'utf8')]));
}

const orders = 'LoanOrders-prod.template.json';
const exchange = 'LoanOrdersLegacy-prod.template.json';

const byDefault = synthesize({});

test('the app synthesizes nothing of the bank exchange by default, or with -c legacy=no', () => {
  expect(Object.keys(byDefault)).toEqual([orders]);
  expect(byDefault[orders]).not.toMatch(/legacy/i);
  const app = new App({ context: { stage: 'prod', legacy: 'no' } });
  addExchange(app);
  expect(app.node.children).toEqual([]);
});

test('-c legacy=beside adds the exchange stack and does not change the order stack', () => {
  const templates = synthesize({ legacy: 'beside' });
  expect(Object.keys(templates).sort()).toEqual([orders, exchange].sort());
  expect(templates[orders]).toBe(byDefault[orders]);
  expect(templates[exchange]).not.toContain('Fn::ImportValue');
});

test('the app refuses another value of legacy with one sentence', () => {
  expect(() => addExchange(new App({ context: { stage: 'prod', legacy: 'yes' } }))).toThrow(
    /^-c legacy=yes is unknown: use -c legacy=<no \| beside \| alone>\.$/,
  );
});

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
