import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import { errorNames } from '../../../core/errors.ts';
import { timeouts } from '../../../core/timeouts.ts';
import { createApp } from '../../../infra/app.ts';
import { stageSettings } from '../../../infra/stages.ts';
import { orderDefinition, type StateDefinition } from '../../../statemachine/order-definition.ts';
import { policies } from '../../../statemachine/retries.ts';
import { alarmsIn, TOPIC, withAlarms } from '../../../test/helpers/alarms.ts';
import { deployed } from '../../../test/helpers/deployed.ts';
import { rightsRules, statementsByFunction } from '../../../test/helpers/function-rights.ts';
import { checkedApp } from '../../../test/helpers/nag-findings.ts';
import { sentCommands } from '../../../test/helpers/sent-commands.ts';
import { connectionRules, encryptionRules, networkRules, ofPartner } from '../../../test/helpers/stack-rules.ts';
import { stagesWith } from '../../../test/helpers/stage-files.ts';
import { withoutTraces } from '../../../test/helpers/template.ts';
import { exchangeDefinition } from '../../definition.ts';
import { addExchange } from '../../infra/app.ts';
import { type Definition, definitions, PAGES_PER_EXECUTION } from '../../infra/functions.ts';
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
  const all = { 'aws:cdk:bundling-stacks': [], stage: 'prod', ...context };
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

interface Task extends Omit<StateDefinition, 'Retry' | 'Catch' | 'ItemProcessor'> {
  ItemProcessor?: { States: Record<string, Task> };
  Parameters?: { FunctionName?: string };
  Retry?: { ErrorEquals: string[]; MaxAttempts: number }[];
  Catch?: { ErrorEquals: string[]; Next: string }[];
}

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const { States: states } = exchangeDefinition() as unknown as { States: Record<string, Task> };
const tasks = Object.entries(states).filter(([, { Type }]) => Type === 'Task');
const functions = tasks.filter(([, { Parameters }]) => Parameters?.FunctionName);

test('every exchange task ends in Fail with Error and Cause, and runs a function again that Lambda did not run or ended', () => {
  for (const [name, { Retry, Catch }] of functions) {
    expect(Retry?.[0], name).toEqual(policies['not run or ended']);
    expect(Catch, name).toEqual([{ ErrorEquals: ['States.ALL'], ResultPath: '$.failure', Next: 'Exchange failed' }]);
  }
  const ofOrders = orderDefinition().States['Continue in a new execution'];
  expect(states['Continue in a new execution']?.Catch?.[0]).toEqual(ofOrders?.Catch?.[0]);
});

test('a file is retried for about a day when the service asks for a long wait, because no next run sends it', () => {
  const patient = functions.filter(([, { Retry = [] }]) =>
    Retry.some(({ ErrorEquals, MaxAttempts }) => ErrorEquals.includes('Throttled') && MaxAttempts === 60),
  );
  expect(patient.map(([name]) => name)).toEqual(['Send status', 'Return offers']);
});

test('an unknown outcome is retried only in exchange tasks whose operation may be sent again', () => {
  const retried = functions.filter(([, { Retry = [] }]) =>
    Retry.some(({ ErrorEquals }) => ErrorEquals.includes('OutcomeUnknown')),
  );
  expect(retried.map(([name]) => name)).toEqual(['Send status']);
});

test('the timeouts of the exchange are nested: call, function, task', () => {
  const deployed = Object.values(exchangeTemplate('test').findResources('AWS::Lambda::Function'));
  const longest = Math.max(...deployed.map(({ Properties }) => Properties.Timeout));
  expect(timeouts.tokenSeconds + timeouts.callSeconds).toBeLessThan(longest);
  for (const [name, { TimeoutSeconds = 0 }] of functions) expect(TimeoutSeconds, name).toBeGreaterThan(longest);
});

test('an execution that reads the most pages stays below the history limit, whatever fails', () => {
  const attempts = (task: Task | undefined) =>
    (task?.Retry ?? []).reduce((sum, { MaxAttempts }) => sum + MaxAttempts, 1);
  // Entering and leaving the state, three events for each attempt, and two for the Choice after it.
  const perPage = 2 + 3 * attempts(states['Fetch requests']) + 2;
  expect(perPage).toBe(85);
  expect(PAGES_PER_EXECUTION * perPage).toBeLessThan(20_000);
});

test('the errors that the exchange retries have known names', () => {
  const named = functions.flatMap(([, { Retry = [] }]) => Retry.flatMap(({ ErrorEquals }) => ErrorEquals));
  const ours = named.filter((name) => !/^(Lambda|Sandbox|Runtime)\./.test(name));
  for (const name of ours) expect(errorNames).toContain(name);
});

test('asl-validator finds no fault in the definition', () => {
  // The package has no types.
  type Validator = (definition: object) => { errorsText(): string };
  const validate = createRequire(import.meta.url)('asl-validator') as Validator;
  const text = read('exchange.asl.json').replaceAll(/\$\{\w+\}/g, 'arn:aws:lambda:us-east-1:123456789012:function:one');
  expect(validate(JSON.parse(text)).errorsText()).toBe('');
});
