import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { alarmsIn, withAlarms } from '../helpers/alarms.ts';
import { orderTemplate, templateOf } from '../helpers/template.ts';

const TOPIC = 'arn:aws:sns:eu-central-1:111122223333:on-call';
const prod = alarmsIn(templateOf('prod'));

describe('the topic', () => {
  test('is absent by default, and no alarm notifies anybody', () => {
    templateOf('prod').resourceCountIs('AWS::SNS::Topic', 0);
    expect(prod.flatMap(({ AlarmActions = [], OKActions = [] }) => [...AlarmActions, ...OKActions])).toEqual([]);
  });

  test('of the partner is notified by every alarm, when it goes off and when it is over', () => {
    const template = orderTemplate('prod', withAlarms({ topicArn: TOPIC }));
    template.resourceCountIs('AWS::SNS::Topic', 0);
    const notified = alarmsIn(template).map(({ AlarmActions, OKActions }) => [AlarmActions, OKActions]);
    expect(notified.length).toBeGreaterThan(2);
    for (const one of notified) expect(one).toEqual([[TOPIC], [TOPIC]]);
  });

  test('that the stack creates is encrypted, accepts only TLS, and only from alarms of the stage', () => {
    const template = orderTemplate('prod', withAlarms({ createTopic: true }));
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
    expect(alarmsIn(template).every(({ AlarmActions }) => AlarmActions?.length === 1)).toBe(true);
  });

  test('uses the key of the stack if there is one', () => {
    const change = (stage: Stage) => ({
      ...withAlarms({ createTopic: true })(stage),
      encryption: 'stack-key' as const,
    });
    const template = orderTemplate('prod', change);
    template.resourceCountIs('AWS::KMS::Key', 1);
    template.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: { Statement: Match.arrayWith([Match.objectLike({ Sid: 'NotificationsOfAlarms' })]) },
    });
  });
});
