import { readFileSync } from 'node:fs';
import { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { acknowledge } from '../../infra/nag.ts';
import { definitions } from '../../infra/order/function-definitions.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { LEAST_CALLS_AT_ONCE } from '../../infra/order-service-settings.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { appFor, checkedApp, failuresOf } from '../helpers/nag-findings.ts';
import { stagesWith } from '../helpers/stage-files.ts';
import { functionsIn, orderStack, orderTemplate, warningsOf } from '../helpers/template.ts';
import { adopting, creating, given } from '../helpers/variants.ts';
import { allowedTo, COMMANDS, RUNBOOK, statementsOf } from './people-policies.ts';

/** Lambda's quota. It measures the variables as JSON, with each quote and line break of a rule escaped. */
const MOST_BYTES = 4_096;
/** As long as any name or ARN that a deployment puts in place of a reference. */
const REFERENCE = 'x'.repeat(140);
const withoutReferences = (_name: string, value: unknown) =>
  /^(Ref|Fn::)/.test(String(Object.keys(Object(value)))) ? REFERENCE : value;

interface FunctionProperties {
  FunctionName: string;
  Environment: { Variables: Record<string, unknown> };
}

const address = `https://${'a'.repeat(192)}`;
const hundred = 'x'.repeat(100);
const statuses = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`OTHER_${at}`, 'WAITING_FOR_DOCUMENTS' as const]));
const [MOST_STATUSES, LONGEST_RULE, LONGEST_POINTER] = [25, 2_998, 47];

const uploaders = (kind: string) =>
  Array.from({ length: 20 }, (_, at) => `arn:aws:iam::444455556666:role/${kind}${'x'.repeat(110)}${at + 10}`);

function longest(
  { orderService, offers, ...stage }: Stage,
  rule = LONGEST_RULE,
  others = MOST_STATUSES,
  pointer = LONGEST_POINTER,
): Stage {
  const names = Object.fromEntries(Object.keys(orderService.names).map((name) => [name, hundred]));
  const addresses = {
    baseUrl: address,
    authorizationUrl: address,
    contentType: `application/${'x'.repeat(88)}`,
    idempotencyHeader: 'x'.repeat(64),
    clientCertificate: true,
  } as const;
  return {
    ...stage,
    orderService: {
      ...orderService,
      ...addresses,
      names: names as typeof orderService.names,
      otherStatuses: statuses(others),
    },
    offers: { ...offers, choose: 'rule', rule: 'x'.repeat(rule) },
    labels: { company: '/company' },
    offerLabels: { bank: `/${'x'.repeat(pointer)}`, expiresAt: `/${'x'.repeat(LONGEST_POINTER)}` },
    uploads: { packages: uploaders('p'), signatures: uploaders('s'), decisions: uploaders('d') },
  };
}

test('the longest settings fit into the environment of every function, and into the policy of intake', () => {
  const template = orderTemplate('prod', (stage) => ({ ...longest(stage), name: 'x'.repeat(20) })).toJSON();
  const resources = Object.values(
    template.Resources as Record<string, { Type: string; Properties: FunctionProperties }>,
  );
  const sizes = resources
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties: { FunctionName, Environment } }) => {
      const text = JSON.stringify(Environment.Variables, withoutReferences);
      return { FunctionName, size: text.length };
    });
  expect(sizes.filter(({ size }) => size > MOST_BYTES)).toEqual([]);
  // S3's quota of a bucket's policy is 20 KB.
  for (const { Type, Properties } of resources)
    if (Type === 'AWS::S3::BucketPolicy') expect(JSON.stringify(Properties).length).toBeLessThan(20_000);
});

test.each([
  ['offers.rule', longest(stageSettings('prod'), LONGEST_RULE + 1)],
  ['offerLabels.bank', longest(stageSettings('prod'), LONGEST_RULE, MOST_STATUSES, LONGEST_POINTER + 1)],
  ['orderService.otherStatuses', longest(stageSettings('prod'), LONGEST_RULE, MOST_STATUSES + 1)],
])('a longer %s is refused', (setting, { name: _name, ...prod }) => {
  expect(() => stageSettings('prod', stagesWith({ 'prod.json': prod }))).toThrow(
    new RegExp(`${setting} .*must have at most`),
  );
});

test('the longest settings are accepted', () => {
  const { name: _name, ...prod } = longest(stageSettings('prod'));
  expect(() => stageSettings('prod', stagesWith({ 'prod.json': prod }))).not.toThrow();
});

/** IAM's quota for a managed policy. It does not count whitespace. */
const MOST_CHARACTERS = 6_144;
type Resource = { Type: string; Properties: Record<string, unknown> };

const template = orderTemplate('prod', (stage) => {
  const longest = adopting(given({ ...stage, name: 'x'.repeat(20), namePrefix: 'p'.repeat(8) }));
  const { orderService, alarms } = longest;
  return {
    ...longest,
    region: 'ap-northeast-1',
    existing: { table: 't'.repeat(255) },
    buckets: { intake: 'i'.repeat(63), staging: 's'.repeat(63) },
    alarms: { ...alarms, notify: `arn:aws:sns:ap-northeast-1:111122223333:${'n'.repeat(256)}` },
    orderService: {
      ...orderService,
      clientCertificate: `arn:aws:secretsmanager:ap-northeast-1:111122223333:secret:${'c'.repeat(200)}-a1B2c3`,
    },
  };
}).toJSON();
const resources = template.Resources as Record<string, Resource>;

/** A reference as AWS puts it in place: the name that the template gives, or one as long as CloudFormation makes. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const [[key = '', argument] = []] = Object.entries(value);
  if (key === 'Fn::Join')
    return (resolved((argument as [string, unknown[]])[1]) as string[]).join((argument as [string])[0]);
  if (key === 'Fn::GetAtt') return arnOf((argument as string[])[0] ?? '');
  if (key === 'Ref') return arnOf(String(argument));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one)]));
}

function arnOf(id: string): string {
  const name = Object.entries(resources[id]?.Properties ?? {}).find(([property]) => /Name$/.test(property))?.[1];
  return `arn:aws:secretsmanager:ap-northeast-1:111122223333:function:${name ?? 'x'.repeat(64)}-a1B2c3`;
}

test("a person's policy is within the characters of IAM, with the longest names", () => {
  const sizes = Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::IAM::ManagedPolicy')
    .map(
      ({ Properties }) =>
        [
          JSON.stringify(Properties.ManagedPolicyName),
          JSON.stringify(resolved(Properties.PolicyDocument)).length,
        ] as const,
    );
  expect(sizes.filter(([, size]) => size > MOST_CHARACTERS)).toEqual([]);
});

const calling = Object.entries(definitions).flatMap(([name, one]) => ('callsService' in one ? name : []));

const reserved = (callsAtOnce?: number) =>
  functionsIn(orderStack('prod', (stage) => ({ ...stage, callsAtOnce }))).flatMap(
    ({ functionName = '', reservedConcurrentExecutions: count }) =>
      count === undefined ? [] : [[functionName.replace('loan-orders-prod-', ''), count] as const],
  );

test('without callsAtOnce, no function has a reserved concurrency', () => {
  expect(reserved()).toEqual([]);
});

test.each([LEAST_CALLS_AT_ONCE, 8, 99])('callsAtOnce %i is divided among the functions that call', (calls) => {
  const runs = new Map(reserved(calls));
  expect([...runs.keys()].sort()).toEqual(calling.sort());
  expect(LEAST_CALLS_AT_ONCE).toBe(calling.length);
  expect([...runs.values()].reduce((sum, count) => sum + count, 0)).toBe(calls);
  expect(Math.min(...runs.values())).toBeGreaterThanOrEqual(1);
  expect(Math.max(...runs.values())).toBe(runs.get('read-order'));
});

test.each([
  [900, 0],
  [901, 1],
])('callsAtOnce %i with a quota of 1,000 gives %i warnings at synth', (callsAtOnce, warnings) => {
  const found = warningsOf(orderStack('prod', (stage) => ({ ...stage, callsAtOnce })));
  expect(found.filter((text) => text.startsWith('callsAtOnce'))).toHaveLength(warnings);
});

/** The actions of commands of the AWS CLI that are not named after their action. */
const CLI_ACTIONS: Record<string, string[]> = {
  's3 cp': ['s3:ListBucket', 's3:GetObject'],
  'lambda invoke': ['lambda:InvokeFunction'],
};

describe('the operations page', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const found = (pattern: RegExp) => new Set([...page.matchAll(pattern)].map(([, name = '']) => name));

  test('asks for no command of the AWS CLI that the operator may not use', () => {
    const commands = [...found(/\baws ([a-z0-9]+ [a-z-]+)/g)];
    expect(commands.length).toBeGreaterThan(3);
    const allowed = allowedTo('operator');
    const needed = commands.flatMap((command) => CLI_ACTIONS[command] ?? [actionOf(command)]);
    expect(needed.filter((action) => !allowed.includes(action))).toEqual([]);
  });

  test('asks for nothing else that the operator may not do', () => {
    const allowed = allowedTo('operator');
    const missing = Object.entries(RUNBOOK).filter(([, actions]) => !actions.every((one) => allowed.includes(one)));
    expect(missing).toEqual([]);
  });

  test('names no command of ours that nobody has the rights for', () => {
    const commands = [...Object.values(COMMANDS).flat(), 'rule', 'simulator', 'submit', 'synth'].map((file) =>
      file.split('/').at(-1),
    );
    expect(
      [...found(/\bloan-orders (?:--stage \w+ )?([a-z]+(?:-[a-z]+)*)/g)].filter((one) => !commands.includes(one)),
    ).toEqual([]);
  });
});

/** `logs filter-log-events` is the action `logs:FilterLogEvents`. */
function actionOf(command: string): string {
  const [service = '', name = ''] = command.split(' ');
  return `${service}:${name.replaceAll(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase())}`;
}

test('the operator reads the pages of staging that the operations page names, and no document or offer', () => {
  const read = statementsOf('operator').find(({ Action }) => Action === 's3:GetObject');
  const patterns = JSON.stringify(read?.Resource).match(/(?<=\/orders\/\*\/)[^"]+/g);
  expect(patterns?.sort()).toEqual(['choices.json', 'errors/*', 'issues.json', 'snapshot.json', 'status.json'].sort());
});

test('a finding fails the synth with its name until the construct acknowledges it', () => {
  const app = appFor();
  const queue = new Queue(new Stack(app, 'Checked'), 'Queue');
  acknowledge(queue, 'SQS3', 'Nothing of it matters here.');
  expect(failuresOf(app)).toEqual(['AwsSolutions::AwsSolutions-SQS4']);
});

const variants: [title: string, name: string, change: (stage: Stage) => Stage][] = [
  ['prod', 'prod', (stage) => stage],
  ['local', 'local', (stage) => stage],
  ['all that a stack creates', 'prod', creating],
  ['given keys, network and topic', 'prod', given],
  ['given table and buckets', 'prod', adopting],
];

test.each(variants)(
  'every finding is acknowledged, on one resource or role, and no acknowledgement is needless: %s',
  (_title, name, change) => {
    const stage = change(stageSettings(name));
    const { failures, found, needless, wide } = checkedApp(
      (app) => new OrderStack(app, `LoanOrders-${name}`, { stage }),
    );
    expect(failures).toEqual([]);
    expect(found.length).toBeGreaterThan(100);
    expect({ needless, wide }).toEqual({ needless: [], wide: [] });
  },
);
