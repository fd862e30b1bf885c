import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, it, test } from 'vitest';
import { compileInput } from '../../events/input.ts';
import { compilePattern } from '../../events/pattern.ts';
import type { Change } from '../../index.ts';
import type { JsonObject } from '../../protocol/operation.ts';
import { queuePolicy, received, START, startHandmade } from '../cloudformation/handmade-assembly.ts';
import { startMachine, stateMachineArn } from '../step-functions/state-machine-fixture.ts';

const event: JsonObject = {
  source: 'aws.s3',
  'detail-type': 'Object Created',
  resources: ['arn:one', 'arn:two'],
  detail: { object: { key: 'orders/Ab-1/order.json', size: 120, tag: null }, reason: 'PutObject' },
};

const ofKey = (...alternatives: unknown[]) => ({ detail: { object: { key: alternatives } } }) as JsonObject;
const ofSize = (...alternatives: unknown[]) => ({ detail: { object: { size: alternatives } } }) as JsonObject;

const key = 'orders/Ab-1/order.json';

describe('compilePattern', () => {
  it.each<[string, boolean, JsonObject]>([
    ['an exact value', true, { source: ['aws.s3'] }],
    ['several fields, one of which differs', false, { source: ['aws.s3'], 'detail-type': ['Object Deleted'] }],
    ['an element of an array in the event', true, { resources: ['arn:two'] }],
    ['a null', true, { detail: { object: { tag: [null] } } }],
    ['a prefix', true, ofKey({ prefix: 'orders/' })],
    ['a suffix', true, ofKey({ suffix: '/order.json' })],
    ['a wildcard', true, ofKey({ wildcard: 'orders/*/order.json' })],
    ['a wildcard that must reach the end', false, ofKey({ wildcard: 'orders/*/order' })],
    ['a wildcard whose dot is a dot', false, ofKey({ wildcard: 'orders/*/orde..json' })],
    ['an escaped asterisk', false, ofKey({ wildcard: 'orders/\\*/order.json' })],
    ['anything but a value', false, ofKey({ 'anything-but': key })],
    ['anything but a number', false, ofSize({ 'anything-but': [0, 120] })],
    ['anything but a prefix', false, ofKey({ 'anything-but': { prefix: 'orders/' } })],
    ['anything but a list of suffixes', false, ofKey({ 'anything-but': { suffix: ['.sig', '.json'] } })],
    ['anything but, on an absent field', false, { detail: { absent: [{ 'anything-but': 'x' }] } }],
    ['a field that does not exist', true, { detail: { absent: [{ exists: false }] } }],
    ['absence, of a field that exists', false, ofKey({ exists: false })],
    ['absence, within an absent object', true, { detail: { absent: { deeper: [{ exists: false }] } } }],
    [
      'one of two patterns inside an object',
      true,
      { detail: { $or: [{ reason: ['x'] }, { object: { size: [120] } }] } },
    ],
    ['neither of two patterns', false, { $or: [{ source: ['x'] }, ofSize(121)] }],
  ])('matches %s: %s', (_name, expected, pattern) => {
    expect(compilePattern(pattern)(event)).toBe(expected);
  });

  it.each<[string, JsonObject]>([
    ['cidr', ofKey({ cidr: '10.0.0.0/8' })],
    ['numeric', ofSize({ numeric: ['>', 1] })],
    ['source', { source: 'aws.s3' }],
    ['at least one field', {}],
  ])('refuses a pattern that it does not support, and names %s', (named, pattern) => {
    expect(() => compilePattern(pattern)).toThrow(named);
  });
});

describe('compileInput', () => {
  it('fills a template inside and outside strings', () => {
    const InputTransformer = {
      InputPathsMap: { key: '$.detail.object.key', size: '$.detail.object.size', all: '$.detail.object' },
      InputTemplate: '{"what":"<key> of <size> bytes","size":<size>,"all":<all>,"key":<key>}',
    };
    const all = { key, size: 120, tag: null };
    expect(compileInput({ InputTransformer })(event)).toEqual({ what: `${key} of 120 bytes`, size: 120, all, key });
  });

  it('refuses a placeholder without a path', () => {
    const InputTransformer = { InputPathsMap: {}, InputTemplate: '"<key>"' };
    expect(() => compileInput({ InputTransformer })).toThrow('no path for <key>');
  });
});

const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
/** EventBridge, "Amazon EventBridge targets": the section that the policy of a key of a queue must have. */
const EVENT_BRIDGE = {
  Effect: 'Allow',
  Principal: { Service: 'events.amazonaws.com' },
  Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
  Resource: '*',
};
const ofAccount = { Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } } };

/** A rule that sends to an encrypted queue, with an encrypted queue for dead letters, and to an encrypted topic. */
async function deliver(...Statement: object[]) {
  const encrypted = { Type: 'AWS::SQS::Queue', Properties: { KmsMasterKeyId: arnOf('Key') } };
  const targets = [{ Id: 'q', Arn: arnOf('Queue'), DeadLetterConfig: { Arn: arnOf('Letters') } }];
  const Resources = {
    Key: { Type: 'AWS::KMS::Key', Properties: { KeyPolicy: { Statement } } },
    Queue: { ...encrypted, Properties: { ...encrypted.Properties, QueueName: 'queue' } },
    Letters: { ...encrypted, Properties: { ...encrypted.Properties, QueueName: 'letters' } },
    Policy: queuePolicy('Queue', 'Letters'),
    Topic: { Type: 'AWS::SNS::Topic', Properties: { KmsMasterKeyId: arnOf('Key') } },
    TopicPolicy: {
      Type: 'AWS::SNS::TopicPolicy',
      Properties: {
        Topics: [{ Ref: 'Topic' }],
        PolicyDocument: { Statement: { ...EVENT_BRIDGE, Action: 'sns:Publish' } },
      },
    },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern: { source: ['ours'] }, Targets: [...targets, { Id: 't', Arn: { Ref: 'Topic' } }] },
    },
  };
  const { aws } = await startHandmade({ Stack: { Resources } });
  const changes: Change[] = [];
  aws.watch((change) => changes.push(change));
  const Entries = [{ Source: 'ours', DetailType: 'd', Detail: '{}' }];
  await new EventBridgeClient(aws.clientSettings).send(new PutEventsCommand({ Entries }));
  await aws.settle();
  const lengths = ['queue', 'letters'].map(async (name) => (await received(aws, name)).length);
  return { queued: await Promise.all(lengths), published: changes.filter(({ type }) => type === 'message').length };
}

test('EventBridge sends to what is encrypted with a key whose policy has its statement', async () => {
  expect(await deliver(EVENT_BRIDGE)).toEqual({ queued: [1, 0], published: 1 });
});

test.each([
  ['without the statement', []],
  ['with a condition on the account', [{ ...EVENT_BRIDGE, ...ofAccount }]],
  ['without one of the two actions', [{ ...EVENT_BRIDGE, Action: 'kms:Decrypt' }]],
])('%s, it sends neither the event nor the dead letter', async (_title, statements) => {
  expect(await deliver(...statements)).toEqual({ queued: [0, 0], published: 0 });
});

const MINUTE = 60_000;

const schedule = (ScheduleExpression: string, more: object = {}, target: object = {}) => ({
  Type: 'AWS::Scheduler::Schedule',
  Properties: {
    Name: 'timetable',
    ScheduleExpression,
    ScheduleExpressionTimezone: 'Etc/UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
    Target: {
      Arn: { 'Fn::GetAtt': ['Machine', 'Arn'] },
      RoleArn: 'arn:aws:iam::000000000000:role/scheduler',
      Input: '{"of":"timetable"}',
      RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 2 },
      ...target,
    },
    ...more,
  },
});

async function startUnder(Schedule: object) {
  const machine = await startMachine({ Done: { Type: 'Succeed' } }, { resources: { Schedule } });
  const pass = async (minutes: number) => {
    const until = START + minutes * MINUTE;
    machine.clock.setTimeout(() => undefined, until - machine.clock.now());
    await machine.aws.runUntil(() => machine.clock.now() >= until);
  };
  return { ...machine, pass };
}

describe('a schedule', () => {
  it('sends an event that its target refuses to its dead-letter queue', async () => {
    const unknown = {
      Arn: `${stateMachineArn}-that-is-not`,
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
    };
    const { pass, aws } = await startUnder(schedule('rate(1 hour)', {}, unknown));
    await pass(1);
    expect(await received(aws, 'queue')).toEqual([{ of: 'timetable' }]);
    expect(aws.logs()[0]?.line).toContain('refused its input');
  });

  it.each([
    ['cron(0 12 * * ? *)', {}, 'cron(0 12 * * ? *); only rate(…) is supported'],
    ['rate(1 minutes)', {}, 'singular'],
    ['rate(1 hour)', { ScheduleExpressionTimezone: 'Europe/Paris' }, 'Europe/Paris'],
    ['rate(1 hour)', { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } }, 'flexible time window'],
  ])('is refused if it is %s with %j', async (expression, more, problem) => {
    await expect(startUnder(schedule(expression, more))).rejects.toThrow(problem);
  });
});
