import { Duration } from 'aws-cdk-lib';
import { type EventPattern, Rule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { timeouts } from '../../core/timeouts.ts';
import { resourcesName } from '../names.ts';
import type { Stage } from '../stages.ts';
import type { BundledFunction } from './bundled-function.ts';
import { allowDataKey, READ_WITH_KEY } from './data-key.ts';
import { encryptedQueue } from './kept-data.ts';
import { allow } from './rights.ts';

interface EventQueueProps {
  stage: Stage;
  /** The function that handles the events. The names of the queues contain it and the stage. */
  name: string;
  target: BundledFunction;
  rule: { ruleName: string; description: string; eventPattern: EventPattern };
}

/** AWS recommends six times the timeout of the function. A message that failed is received again after this time. */
const VISIBILITY_SECONDS = 6 * timeouts.functionSeconds;
/** An event is tried for 25 hours, so a day of throttling or of an outage of AWS makes no dead letter. */
const MOST_RECEIVES = (25 * 3_600) / VISIBILITY_SECONDS;
/** In a larger batch, one event that kills the function would fail the others with it, until all are dead letters. */
const BATCH_SIZE = 1;
/** Events that a function handles concurrently. Others wait in the queue: all functions of the account share Lambda's quota. */
const MOST_AT_ONCE = 10;
const DELIVERY_HOURS = 24;
const DELIVERY_RETRIES = 185;

export type EventQueue = ReturnType<typeof addEventQueue>;

/**
 * Passes the events of a rule on to a function through a queue. An event that fails for longer than a day, or that EventBridge cannot put
 * into the queue, becomes a dead letter.
 */
export function addEventQueue(scope: Construct, id: string, { stage, name, target, rule: given }: EventQueueProps) {
  const events = new Construct(scope, id);
  const prefix = `${resourcesName(stage)}-${name}`;
  const deadLetters = encryptedQueue(events, 'DeadLetters', stage, { queueName: `${prefix}-dead-letters` });
  const queue = encryptedQueue(events, 'Queue', stage, {
    queueName: `${prefix}-events`,
    visibilityTimeout: Duration.seconds(VISIBILITY_SECONDS),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: MOST_RECEIVES },
  });
  const rule = new Rule(events, 'Rule', given);
  deliver(rule, queue, deadLetters);
  allow(target, ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], queue.queueArn);
  if (target.role) allowDataKey(target.role, stage, READ_WITH_KEY, ['sqs']);
  target.addEventSourceMapping('Events', {
    eventSourceArn: queue.queueArn,
    batchSize: BATCH_SIZE,
    maxConcurrency: MOST_AT_ONCE,
    reportBatchItemFailures: true,
  });
  return { queue, deadLetters, rule };
}

/** Only this rule may send. The CDK's own target would let every rule of the account send to an encrypted queue. */
function deliver(rule: Rule, queue: Queue, deadLetters: Queue): void {
  rule.addTarget({
    bind: () => ({
      arn: queue.queueArn,
      targetResource: queue,
      deadLetterConfig: { arn: deadLetters.queueArn },
      retryPolicy: { maximumRetryAttempts: DELIVERY_RETRIES, maximumEventAgeInSeconds: DELIVERY_HOURS * 3_600 },
    }),
  });
  for (const receiver of [queue, deadLetters])
    receiver.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [receiver.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': rule.ruleArn } },
      }),
    );
}
