import type { EventPattern } from 'aws-cdk-lib/aws-events';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { eventRule } from '../constructs/event-rule.ts';
import type { Stage } from '../stages.ts';
import type { FunctionName } from './function-definitions.ts';
import type { OrderFunctions } from './functions.ts';
import type { OrderStorage } from './storage.ts';

export interface OrderEventsProps {
  stage: Stage;
  storage: OrderStorage;
  functions: OrderFunctions;
  stateMachineArn: string;
  deadLetters: IQueue;
}

const ANSWERS = ['orders/*/signatures/*', 'orders/*/decision.json'];
/** The stage's own files, such as the certificate chain of its signing key. No function needs their events. */
const OF_THE_STAGE = 'signing/*';
/** A wildcard matches slashes too, so the second pattern covers a document named documents/signatures/a.pdf. */
const PACKAGES = [{ 'anything-but': { wildcard: [...ANSWERS, OF_THE_STAGE] } }, { wildcard: 'orders/*/documents/*' }];

/** Sends new objects in intake, and executions that end without success, to the functions that handle them. */
export class OrderEvents extends Construct {
  constructor(scope: Construct, id: string, props: OrderEventsProps) {
    super(scope, id);
    const { storage, stateMachineArn } = props;
    const created = (key: unknown): EventPattern => ({
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [storage.intake.bucketName] }, object: { key } },
    });
    this.add('Packages', 'New objects in intake except signatures and decisions', 'intake', created(PACKAGES), props);
    this.add(
      'Answers',
      'New signatures and decisions in intake',
      'receive',
      created(ANSWERS.map((wildcard) => ({ wildcard }))),
      props,
    );
    this.add(
      'Ends',
      'Order executions that end without success',
      'record-end',
      {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: [stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
      },
      props,
    );
  }

  private add(
    id: string,
    description: string,
    name: FunctionName,
    eventPattern: EventPattern,
    props: OrderEventsProps,
  ): void {
    const { functions, deadLetters, stage } = props;
    eventRule(this, id, {
      ruleName: `loan-orders-${stage.name}-${id.toLowerCase()}`,
      description,
      eventPattern,
      target: functions.byName[name],
      deadLetters,
    });
  }
}
