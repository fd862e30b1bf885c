import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { Schedules } from '../../infra/constructs/schedule.ts';
import type { ExchangeStage } from './settings.ts';

export interface ExchangeSchedulesProps {
  stage: ExchangeStage;
  stateMachineArn: string;
  deadLetters: Queue;
}

const OLDEST_START_SECONDS = 3_600;

/** Starts runs at the stage's rates. Each kind of run has its own schedule. */
export class ExchangeSchedules extends Schedules {
  constructor(scope: Construct, id: string, { stage, stateMachineArn, deadLetters }: ExchangeSchedulesProps) {
    super(scope, id, { stage, action: 'states:StartExecution', targetArn: stateMachineArn, deadLetters });
    const { fetchRequestsEveryMinutes, fetchInnsEveryMinutes } = stage.exchange;
    const rates = { 'fetch-requests': fetchRequestsEveryMinutes, 'fetch-inns': fetchInnsEveryMinutes };
    for (const [work, minutes] of Object.entries(rates)) {
      this.add(work, {
        name: `loan-orders-${stage.name}-legacy-${work}`,
        description: `Starts the bank exchange's run ${work}`,
        minutes,
        input: { work },
        oldestStartSeconds: OLDEST_START_SECONDS,
      });
    }
  }
}
