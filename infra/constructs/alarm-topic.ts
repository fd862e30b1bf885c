import { Annotations, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { resourcesName } from '../names.ts';
import { isTopic } from '../operation-settings.ts';
import { LAPTOP_STAGE, REHEARSAL_STAGE } from '../stage-folder.ts';
import type { Stage } from '../stages.ts';
import { dataKey } from './data-key.ts';
import { homeOf } from './home.ts';
import { addOutputs } from './outputs.ts';

const ID = 'AlarmTopic';
const principals = [new ServicePrincipal('cloudwatch.amazonaws.com')];

/**
 * The topic that the stack's alarms notify: the stage's, or one that the stack creates. Undefined on the laptop, where alarms are not
 * evaluated. Every call for the same stack returns the same topic.
 */
export function alarmTopic(scope: Construct, stage: Stage): ITopic | undefined {
  const { notify } = stage.alarms;
  if (stage.name === LAPTOP_STAGE) return undefined;
  const home = homeOf(scope);
  const existing = home.node.tryFindChild(ID) as Topic | undefined;
  if (existing) return existing;
  if (isTopic(notify)) return Topic.fromTopicArn(home, ID, notify);
  const stack = Stack.of(home);
  const masterKey = topicKey(home, stage);
  const topic = new Topic(home, ID, { displayName: stack.stackName, masterKey, enforceSSL: true });
  const alarms = stack.formatArn({ service: 'cloudwatch', resource: `alarm:${resourcesName(stage)}-*` });
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsOfThisStage',
      principals,
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account }, ArnLike: { 'aws:SourceArn': alarms } },
    }),
  );
  if (notify === undefined) warnOfSilence(topic, stage.name);
  else topic.addSubscription(new EmailSubscription(notify));
  addOutputs(home, { AlarmTopicArn: [topic.topicArn, 'Subscribe to this topic to be notified of alarms'] });
  return topic;
}

function warnOfSilence(topic: Topic, stage: string): void {
  // Somebody watches a rehearsal, so it needs no notification.
  if (stage === REHEARSAL_STAGE) return;
  Annotations.of(topic).addWarningV2(
    'loan-orders:nobody-notified',
    `Stage ${stage} tells nobody of its alarms. Set alarms.notify, or subscribe to the output AlarmTopicArn.`,
  );
}

/** CloudWatch may not use AWS's own key for SNS, so the topic needs a key with a policy: the stack's, or its own. */
function topicKey(home: Construct, stage: Stage): IKey {
  const stack = Stack.of(home);
  const key =
    dataKey(home, stage) ??
    new Key(home, 'AlarmTopicKey', {
      description: `Encrypts the notifications of the alarms of ${stack.stackName}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  // docs/deployment.md shows it for a key of the partner.
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: 'NotificationsOfAlarms',
      principals,
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    }),
  );
  return key;
}
