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
  /** Where an event goes that did not reach its function within a day. */
  deadLetters: IQueue;
}

/** A rule that hands events to one function. */
export function eventRule(scope: Construct, id: string, props: EventRuleProps): Rule {
  const { target, deadLetters, ...rule } = props;
  const handed = new LambdaFunction(target, {
    deadLetterQueue: deadLetters,
    retryAttempts: 24,
    maxEventAge: Duration.hours(24),
  });
  return new Rule(scope, id, { ...rule, targets: [handed] });
}
