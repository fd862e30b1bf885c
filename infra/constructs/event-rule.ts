import { Duration } from 'aws-cdk-lib';
import { type EventPattern, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export interface EventRuleProps {
  ruleName: string;
  description: string;
  eventPattern: EventPattern;
  target: IFunction;
  /** The queue for events that did not reach the function within a day. */
  deadLetters: IQueue;
}

const DELIVERY_HOURS = 24;
const DELIVERY_RETRIES = 24;

/** A rule that sends events to one function. */
export function eventRule(scope: Construct, id: string, props: EventRuleProps): Rule {
  const { target, deadLetters, ...rule } = props;
  const delivery = new LambdaFunction(target, {
    deadLetterQueue: deadLetters,
    retryAttempts: DELIVERY_RETRIES,
    maxEventAge: Duration.hours(DELIVERY_HOURS),
  });
  return new Rule(scope, id, { ...rule, targets: [delivery] });
}
