import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { eventRule } from '../../infra/constructs/event-rule.ts';
import type { Stage } from '../../infra/stages.ts';
import type { LegacyFunctions } from './functions.ts';
import type { LegacyStorage } from './storage.ts';

export interface LegacyEventsProps {
  stage: Stage;
  storage: LegacyStorage;
  functions: LegacyFunctions;
  stateMachineArn: string;
  deadLetters: IQueue;
}

/** Sends new objects in the exchange's intake, and its executions that end without success, to the functions that handle them. */
export class LegacyEvents extends Construct {
  constructor(scope: Construct, id: string, props: LegacyEventsProps) {
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
