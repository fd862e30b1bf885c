import type { NewEvent } from '../events/bus.ts';

/** How an execution ended. `output` is JSON. */
export interface Ending {
  output?: string;
  error?: string;
  cause?: string;
}

interface ExecutionFacts {
  arn: string;
  name: string;
  stateMachine: { arn: string };
  input: string;
  status: string;
  startDate: number;
  stopDate?: number | undefined;
  ending: Ending;
  redriveCount?: number;
  redriveDate?: number | undefined;
  /** Why it cannot be redriven; undefined if it can. */
  redriveStatusReason?: string | undefined;
}

export function redriveStatus({ redriveStatusReason: reason }: Pick<ExecutionFacts, 'redriveStatusReason'>): object {
  if (reason === undefined) return { redriveStatus: 'REDRIVABLE' };
  return { redriveStatus: 'NOT_REDRIVABLE', redriveStatusReason: reason };
}

export function statusChangeEvent(execution: ExecutionFacts): NewEvent {
  const { arn, name, stateMachine, input, status, startDate, stopDate = null } = execution;
  const { output = null, error = null, cause = null } = execution.ending;
  const { redriveCount = 0, redriveDate = null } = execution;
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
      stopDate,
      input,
      output,
      inputDetails: { included: true },
      outputDetails: output === null ? null : { included: true },
      stateMachineVersionArn: null,
      stateMachineAliasArn: null,
      redriveCount,
      redriveDate,
      redriveStatusReason: null,
      ...redriveStatus(execution),
      error,
      cause,
    },
  };
}
