import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { Schedules } from '../constructs/schedule.ts';
import type { Stage } from '../stages.ts';

export interface SweepScheduleProps {
  stage: Stage;
  sweep: IFunction;
  deadLetters: IQueue;
}

/** The name of the schedule, and of the function. */
export const sweepName = ({ name }: Stage): string => `loan-orders-${name}-sweep`;

/** Starts the sweep every few minutes. A sweep that was missed is not made up for: the next one finds the same orders. */
export class SweepSchedule extends Schedules {
  constructor(scope: Construct, id: string, { stage, sweep, deadLetters }: SweepScheduleProps) {
    super(scope, id, { stage, action: 'lambda:InvokeFunction', targetArn: sweep.functionArn, deadLetters });
    const { everyMinutes: minutes } = stage.sweep;
    this.add('EveryFewMinutes', {
      name: sweepName(stage),
      description: 'Finds orders that no execution drives',
      minutes,
      input: {},
      oldestStartSeconds: minutes * 60,
    });
  }
}
