import { CfnOutput } from 'aws-cdk-lib';
import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { constructId } from '../constructs/construct-id.ts';
import { EventQueue } from '../constructs/event-queue.ts';
import type { Stage } from '../stages.ts';
import type { OrderFunctions } from './functions.ts';
import type { OrderStorage } from './storage.ts';

export interface OrderEventsProps {
  stage: Stage;
  storage: OrderStorage;
  functions: OrderFunctions;
  stateMachineArn: string;
}

/** The functions that events reach through a queue. */
export const queued = ['check-package', 'receive-upload', 'record-end'] as const;
export type QueuedFunction = (typeof queued)[number];

/** The keys that `receive-upload` gets. */
export const ANSWERS = ['orders/*/signatures/*', 'orders/*/decision.json'];
/** The stage's own files, such as the certificate chain of its signing key. No function needs their events. */
const OF_THE_STAGE = 'signing/*';
/** A wildcard matches slashes too, so the second pattern covers a document named documents/signatures/a.pdf. */
export const PACKAGES = [
  { 'anything-but': { wildcard: [...ANSWERS, OF_THE_STAGE] } },
  { wildcard: 'orders/*/documents/*' },
];

/** Sends new objects in intake, and executions that end without success, to the functions that handle them. */
export class OrderEvents extends Construct {
  readonly queues: Record<QueuedFunction, EventQueue>;

  constructor(scope: Construct, id: string, props: OrderEventsProps) {
    super(scope, id);
    const { storage, stateMachineArn } = props;
    const created = (key: unknown): EventPattern => ({
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [storage.intake.bucketName] }, object: { key } },
    });
    const answers = created(ANSWERS.map((wildcard) => ({ wildcard })));
    const ends = {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: { stateMachineArn: [stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
    };
    this.queues = {
      'check-package': this.add(
        'Packages',
        'New objects in intake except signatures and decisions',
        'check-package',
        created(PACKAGES),
        props,
      ),
      'receive-upload': this.add('Answers', 'New signatures and decisions in intake', 'receive-upload', answers, props),
      'record-end': this.add('Ends', 'Order executions that end without success', 'record-end', ends, props),
    };
  }

  private add(
    id: string,
    description: string,
    name: QueuedFunction,
    eventPattern: EventPattern,
    { functions, stage }: OrderEventsProps,
  ): EventQueue {
    const rule = { ruleName: `loan-orders-${stage.name}-${id.toLowerCase()}`, description, eventPattern };
    const made = new EventQueue(this, id, { stage, name, target: functions.byName[name], rule });
    const output = (suffix: string, value: string, text: string) =>
      new CfnOutput(this, `${id}${suffix}`, { value, description: text }).overrideLogicalId(
        `${constructId(name)}${suffix}`,
      );
    output('QueueUrl', made.queue.queueUrl, `Events on their way to ${name}`);
    output('DeadLetterQueueUrl', made.deadLetters.queueUrl, `Events that failed in ${name} for a day`);
    return made;
  }
}
