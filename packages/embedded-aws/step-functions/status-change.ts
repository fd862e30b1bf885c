import type { NewEvent } from '../events/bus.ts';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED' | 'TIMED_OUT';

/** How an execution ended. `output` is JSON. */
export interface Ending {
  output?: string;
  error?: string;
  cause?: string;
}

/** The facts of an execution that its events report. Times are milliseconds since the epoch. */
interface ExecutionFacts {
  arn: string;
  name: string;
  stateMachine: { arn: string };
  /** JSON. */
  input: string;
  status: ExecutionStatus;
  startDate: number;
  stopDate: number | undefined;
  ending: Ending;
}

/** The event that Step Functions sends when the status of an execution changes. */
export function statusChangeEvent(execution: ExecutionFacts): NewEvent {
  const { arn, name, stateMachine, input, status, startDate, stopDate, ending } = execution;
  const { output, error, cause } = ending;
  return {
    source: 'aws.states',
    'detail-type': 'Step Functions Execution Status Change',
    resources: [arn],
    detail: {
      executionArn: arn,
      stateMachineArn: stateMachine.arn,
      name,
      status,
      startDate,
      stopDate: stopDate ?? null,
      input,
      output: output ?? null,
      inputDetails: { included: true },
      outputDetails: output === undefined ? null : { included: true },
      stateMachineVersionArn: null,
      stateMachineAliasArn: null,
      redriveCount: 0,
      redriveDate: null,
      redriveStatus: status === 'FAILED' ? 'REDRIVABLE' : 'NOT_REDRIVABLE',
      error: error ?? null,
      cause: cause ?? null,
    },
  };
}
