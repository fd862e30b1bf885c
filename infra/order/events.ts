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
/** The stage's own files, such as the certificate chain of its signing key: nobody has to hear of them. */
const OF_THE_STAGE = 'signing/*';
/** A wildcard spans slashes: a document may be called documents/signatures/a.pdf. */
const PACKAGES = [{ 'anything-but': { wildcard: [...ANSWERS, OF_THE_STAGE] } }, { wildcard: 'orders/*/documents/*' }];

/** Who hears of what: objects in intake, and executions that end without success. */
export class OrderEvents extends Construct {
  constructor(scope: Construct, id: string, props: OrderEventsProps) {
    super(scope, id);
    const { storage, stateMachineArn } = props;
    const created = (key: unknown): EventPattern => ({
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [storage.intake.bucketName] }, object: { key } },
    });
    this.add('Packages', 'Everything in intake but signatures and decisions', 'intake', created(PACKAGES), props);
    this.add(
      'Answers',
      'Signatures and decisions in intake',
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
