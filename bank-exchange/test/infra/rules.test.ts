import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import cdk from '../../../cdk.json' with { type: 'json' };
import { createApp } from '../../../infra/app.ts';
import { stageSettings } from '../../../infra/stages.ts';
import { alarmsIn, TOPIC, withAlarms } from '../../../test/helpers/alarms.ts';
import { deployed } from '../../../test/helpers/deployed.ts';
import { rightsRules, statementsByFunction } from '../../../test/helpers/function-rights.ts';
import { checkedApp } from '../../../test/helpers/nag-findings.ts';
import { sentCommands } from '../../../test/helpers/sent-commands.ts';
import { connectionRules, encryptionRules, networkRules, ofPartner } from '../../../test/helpers/stack-rules.ts';
import { stagesWith } from '../../../test/helpers/stage-files.ts';
import { withoutTraces } from '../../../test/helpers/template.ts';
import { addExchange } from '../../infra/app.ts';
import { type Definition, definitions } from '../../infra/functions.ts';
import { exchangeSettings, exchangeStage } from '../../infra/settings.ts';
import { ExchangeStack } from '../../infra/stack.ts';
import { exchangeTemplate } from '../helpers/template.ts';
import { encrypted, inNetwork, variants } from '../helpers/variants.ts';

test.each(variants)(
  'every finding of cdk-nag is acknowledged, on one resource or role, and no acknowledgement is needless: %s',
  (_title, name, change, settings = {}) => {
    const stage = exchangeStage(change(stageSettings(name)), { ...exchangeSettings(name), ...settings });
    const { failures, found, needless, wide } = checkedApp(
      (app) => new ExchangeStack(app, `LoanOrdersLegacy-${name}`, { stage }),
    );
    expect(found.length).toBeGreaterThan(50);
    expect({ failures, needless, wide }).toEqual({ failures: [], needless: [], wide: [] });
  },
);

// Every step can stage a refused call, but these make no calls.
rightsRules(
  statementsByFunction(exchangeTemplate('local'), 'loan-orders-local-'),
  sentCommands('bank-exchange/functions'),
  { 'legacy-begin-run': ['PutObjectCommand'], 'legacy-end-run': ['PutObjectCommand'] },
);

describe('the functions in the network of the partner', () => {
  networkRules(exchangeTemplate('prod', inNetwork));

  test('may connect to the ports of the addresses of the exchange', () => {
    const { securityGroups: _none, ...network } = ofPartner;
    const settings = { baseUrl: 'https://exchange.bank.example:8443' };
    const template = exchangeTemplate('prod', (stage) => ({ ...stage, network }), settings);
    const [group] = Object.values(template.findResources('AWS::EC2::SecurityGroup'));
    const ports = group?.Properties.SecurityGroupEgress.map(({ FromPort }: { FromPort: number }) => FromPort);
    expect(ports).toEqual([443, 8443]);
  });
});

describe('the data of the stack', () => {
  encryptionRules((encryption) =>
    exchangeTemplate('prod', (stage) => encrypted(encryption)(withAlarms({ notify: TOPIC })(stage))),
  );
});

describe('the connection to the exchange', () => {
  const calling = Object.values<Definition>(definitions).filter(({ callsService }) => callsService).length;
  connectionRules(
    (connection) => exchangeTemplate('prod', undefined, connection),
    calling,
    'loan-orders-prod-legacy-client-certificate',
  );
});

test('every alarm has one sentence with a link, and notifies the topic of the partner', () => {
  for (const { AlarmDescription, AlarmActions, OKActions } of alarmsIn(
    exchangeTemplate('prod', withAlarms({ notify: TOPIC })),
  )) {
    const [, file = '', heading] = /^[A-Z][^.]*\. See (docs\/\S+\.md)#([a-z-]+)$/.exec(AlarmDescription) ?? [];
    expect(readFileSync(file, 'utf8').toLowerCase()).toContain(`\n## ${heading}\n`);
    expect([AlarmActions, OKActions]).toEqual([[TOPIC], [TOPIC]]);
  }
});

test('no resource has a name that an account has only once', () => {
  expect(JSON.stringify(exchangeTemplate('prod').toJSON())).not.toMatch(/"(Bucket|Role|ManagedPolicy|Dashboard)Name":/);
});

test('settings are checked, and only the laptop may use plain HTTP', () => {
  const checked = (change: object) => () =>
    exchangeSettings('test', stagesWith({ 'legacy/test.json': { ...exchangeSettings('test'), ...change } }));
  expect(checked({ take: 10, pageOverlap: 10 })).toThrow('must have pageOverlap < take');
  expect(checked({ baseUrl: 'http://exchange.example' })).toThrow(
    'baseUrl is "http://exchange.example", but must start with https://',
  );
  expect(exchangeSettings('local').baseUrl).toMatch('http://');
});

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
