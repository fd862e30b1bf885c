import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type PolicyStatementProps, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';
import { dataKey } from './data-key.ts';

const ID = 'AlarmTopic';

/**
 * The topic that the stack's alarms notify: the stage's, or one that the stack creates. Undefined if the stage has none. There is
 * one topic in a stack, whoever asks first.
 */
export function alarmTopic(scope: Construct, stage: Stage): ITopic | undefined {
  const { topicArn, createTopic } = stage.alarms;
  if (topicArn === undefined && !createTopic) return undefined;
  const stack = Stack.of(scope);
  const existing = stack.node.tryFindChild(ID) as Topic | undefined;
  if (existing) return existing;
  if (topicArn !== undefined) return Topic.fromTopicArn(stack, ID, topicArn);
  const topic = new Topic(stack, ID, {
    displayName: stack.stackName,
    masterKey: topicKey(stack, stage),
    enforceSSL: true,
  });
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsOfThisStage',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnLike: { 'aws:SourceArn': alarmsOf(stack, stage) },
      },
    }),
  );
  const output = new CfnOutput(stack, 'AlarmTopicArn', { value: topic.topicArn });
  output.description = 'Subscribe to this topic to be notified of alarms';
  return topic;
}

function alarmsOf(stack: Stack, { name }: Stage): string {
  return stack.formatArn({ service: 'cloudwatch', resource: `alarm:loan-orders-${name}-*` });
}

/** CloudWatch may not use AWS's own key for SNS, so the topic needs a key with a policy: the stack's, or one of its own. */
function topicKey(stack: Stack, stage: Stage) {
  const key =
    dataKey(stack, stage) ??
    new Key(stack, 'AlarmTopicKey', {
      description: `Encrypts the notifications of the alarms of ${stack.stackName}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  key.addToResourcePolicy(new PolicyStatement(useByAlarms(stack)));
  return key;
}

/** docs/deployment.md shows it for a key of the partner. */
function useByAlarms(stack: Stack): PolicyStatementProps {
  return {
    sid: 'NotificationsOfAlarms',
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
    resources: ['*'],
    conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
  };
}
