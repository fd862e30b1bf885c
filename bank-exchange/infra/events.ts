import { Duration } from 'aws-cdk-lib';
import { type EventPattern, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageBucket } from '../../infra/constructs/kept-data.ts';
import type { ExchangeFunctions } from './functions.ts';

export interface EventsProps {
  functions: ExchangeFunctions;
  intake: StageBucket;
  stateMachineArn: string;
  /** The queue for events that did not reach their function within a day. */
  deadLetters: IQueue;
}

const DELIVERY_HOURS = 24;
const DELIVERY_RETRIES = 24;

/** Sends new objects in the exchange's intake, and its executions that end without success, to the functions that handle them. */
export function addEvents(
  scope: Construct,
  prefix: string,
  { functions, intake, stateMachineArn, deadLetters }: EventsProps,
): void {
  const events = new Construct(scope, 'Events');
  const add = (id: string, name: keyof ExchangeFunctions, description: string, eventPattern: EventPattern) => {
    const target = new LambdaFunction(functions[name], {
      deadLetterQueue: deadLetters,
      retryAttempts: DELIVERY_RETRIES,
      maxEventAge: Duration.hours(DELIVERY_HOURS),
    });
    new Rule(events, id, { ruleName: `${prefix}-${id.toLowerCase()}`, description, eventPattern, targets: [target] });
  };
  add('Uploads', 'legacy-intake', 'New objects in the intake bucket of the bank exchange', {
    source: ['aws.s3'],
    detailType: ['Object Created'],
    detail: { bucket: { name: [intake.bucketName] } },
  });
  add('Ends', 'legacy-record-end', 'Executions of the bank exchange that end without success', {
    source: ['aws.states'],
    detailType: ['Step Functions Execution Status Change'],
    detail: { stateMachineArn: [stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
  });
}
