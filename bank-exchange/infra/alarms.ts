import { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { alarm } from '../../infra/constructs/alarm.ts';
import type { Stage } from '../../infra/stages.ts';

/** Relative to docs/. */
const SECTION = '../bank-exchange/README.md#operate';

/** Alarms for operators: a run or an upload has failed, or an event is in the dead-letter queue. */
export class ExchangeAlarms extends Construct {
  constructor(scope: Construct, id: string, props: { stage: Stage; stateMachine: StateMachine; deadLetters: Queue }) {
    super(scope, id);
    const { stage, stateMachine, deadLetters } = props;
    const period = Duration.minutes(5);
    alarm(this, stage, {
      name: 'legacy-failed',
      says: 'An execution of the bank exchange failed.',
      section: SECTION,
      metric: stateMachine.metricFailed({ period, statistic: 'Sum' }),
    });
    alarm(this, stage, {
      name: 'legacy-timed-out',
      says: 'An execution of the bank exchange timed out.',
      section: SECTION,
      metric: stateMachine.metricTimedOut({ period, statistic: 'Sum' }),
    });
    alarm(this, stage, {
      name: 'legacy-dead-letters',
      says: 'An event of the bank exchange is in its dead-letter queue.',
      section: SECTION,
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
    });
  }
}
