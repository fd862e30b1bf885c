import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { eventRule } from '../../infra/constructs/event-rule.ts';
import type { Stage } from '../../infra/stages.ts';
import type { ExchangeFunctions } from './functions.ts';
import type { ExchangeStorage } from './storage.ts';

export interface ExchangeEventsProps {
  stage: Stage;
  storage: ExchangeStorage;
  functions: ExchangeFunctions;
  stateMachineArn: string;
  deadLetters: IQueue;
}

/** Sends new objects in the exchange's intake, and its executions that end without success, to the functions that handle them. */
export class ExchangeEvents extends Construct {
  constructor(scope: Construct, id: string, props: ExchangeEventsProps) {
    super(scope, id);
    const { stage, storage, functions, stateMachineArn, deadLetters } = props;
    eventRule(this, 'Uploads', {
      ruleName: `loan-orders-${stage.name}-legacy-uploads`,
      description: 'New objects in the intake bucket of the bank exchange',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [storage.intake.bucketName] } },
      },
      target: functions.byName['legacy-intake'],
      deadLetters,
    });
    eventRule(this, 'Ends', {
      ruleName: `loan-orders-${stage.name}-legacy-ends`,
      description: 'Executions of the bank exchange that end without success',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: [stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
      },
      target: functions.byName['legacy-record-end'],
      deadLetters,
    });
  }
}
