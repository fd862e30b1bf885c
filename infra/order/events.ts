import { ArnFormat, Stack } from 'aws-cdk-lib';
import { CfnArchive, EventBus, type EventPattern } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { BundledFunction } from '../constructs/bundled-function.ts';
import { addEventQueue, type EventQueue } from '../constructs/event-queue.ts';
import type { StageBucket } from '../constructs/kept-data.ts';
import { addOutputs } from '../constructs/outputs.ts';
import { constructId, resourcesName } from '../names.ts';
import type { Stage } from '../stages.ts';

/** Patterns of the keys of the uploads that `receive-upload` handles. */
export const ANSWERS = ['orders/*/signatures/*', 'orders/*/decision.json'];
/** The stage's own files, such as the certificate chain of its signing key. No function needs their events. */
const OF_THE_STAGE = 'signing/*';
/** A wildcard matches slashes too, so the second pattern covers a document named documents/signatures/a.pdf. */
export const PACKAGES = [
  { 'anything-but': { wildcard: [...ANSWERS, OF_THE_STAGE] } },
  { wildcard: 'orders/*/documents/*' },
];

/** The functions that events reach through a queue. */
type QueuedFunction = 'check-package' | 'receive-upload' | 'record-end';

export interface EventsProps {
  stage: Stage;
  intake: StageBucket;
  functions: Record<QueuedFunction, BundledFunction>;
  stateMachineArn: string;
}

/** Sends new objects in intake, and executions that end without success, to the functions that handle them. Returns their queues. */
export function addEvents(
  scope: Construct,
  id: string,
  { stage, intake, functions, stateMachineArn }: EventsProps,
): Record<QueuedFunction, EventQueue> {
  const events = new Construct(scope, id);
  const add = (rule: string, description: string, name: QueuedFunction, eventPattern: EventPattern) => {
    const ruleName = `${resourcesName(stage)}-${rule.toLowerCase()}`;
    const target = functions[name];
    const made = addEventQueue(events, rule, { stage, name, target, rule: { ruleName, description, eventPattern } });
    addOutputs(events, {
      [`${constructId(name)}QueueUrl`]: [made.queue.queueUrl, `Events on their way to ${name}`],
      [`${constructId(name)}DeadLetterQueueUrl`]: [
        made.deadLetters.queueUrl,
        `Events that failed in ${name} for a day`,
      ],
    });
    return made;
  };
  const created = (key: unknown): EventPattern => ({
    source: ['aws.s3'],
    detailType: ['Object Created'],
    detail: { bucket: { name: [intake.bucketName] }, object: { key } },
  });
  const packages = 'New objects in intake except signatures and decisions';
  const answers = ANSWERS.map((wildcard) => ({ wildcard }));
  return {
    'check-package': add('Packages', packages, 'check-package', created(PACKAGES)),
    'receive-upload': add('Answers', 'New signatures and decisions in intake', 'receive-upload', created(answers)),
    'record-end': add('Ends', 'Order executions that end without success, or are redriven', 'record-end', {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: {
        stateMachineArn: [stateMachineArn],
        $or: [
          { status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
          { status: ['RUNNING'], redriveCount: [{ 'anything-but': [0] }] },
        ],
      },
    }),
  };
}

/** The name and the ARN of the stage's event bus. Functions need both before the bus exists. */
export function eventBus(scope: Construct, stage: Stage): { name: string; arn: string } {
  const resourceName = resourcesName(stage);
  const arnFormat = ArnFormat.SLASH_RESOURCE_NAME;
  const arn = Stack.of(scope).formatArn({ service: 'events', resource: 'event-bus', resourceName, arnFormat });
  return { name: resourceName, arn };
}

/** Adds the event bus for other systems, and its archive if the stage has one. */
export function addEventBus(scope: Construct, id: string, stage: Stage): EventBus {
  const told = new Construct(scope, id);
  const { name } = eventBus(scope, stage);
  const bus = new EventBus(told, 'Bus', {
    eventBusName: name,
    description: 'What happens to the orders, for others: docs/events.md',
  });
  const { archiveDays } = stage.events;
  if (archiveDays !== undefined) {
    new CfnArchive(told, 'Archive', {
      archiveName: name,
      description: 'The events of the orders, to be replayed',
      sourceArn: bus.eventBusArn,
      retentionDays: archiveDays,
    });
  }
  return bus;
}
