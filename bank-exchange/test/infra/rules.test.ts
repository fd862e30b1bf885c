import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { stageSettings } from '../../../infra/stages.ts';
import { alarmsIn, TOPIC, withAlarms } from '../../../test/helpers/alarms.ts';
import { rightsRules, statementsByFunction } from '../../../test/helpers/function-rights.ts';
import { checkedApp } from '../../../test/helpers/nag-findings.ts';
import { sentCommands } from '../../../test/helpers/sent-commands.ts';
import { connectionRules, encryptionRules, networkRules, ofPartner } from '../../../test/helpers/stack-rules.ts';
import { stagesWith } from '../../../test/helpers/stage-files.ts';
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
