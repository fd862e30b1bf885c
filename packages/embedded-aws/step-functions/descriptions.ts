import { epochSeconds } from '../protocol/json.ts';
import type { Execution } from './execution.ts';

/** An execution as ListExecutions returns it. */
export function listExecution(execution: Execution): object {
  const { arn: executionArn, stateMachine, name, status, startDate, stopDate } = execution;
  return {
    executionArn,
    stateMachineArn: stateMachine.arn,
    name,
    status,
    startDate: epochSeconds(startDate),
    ...(stopDate === undefined ? {} : { stopDate: epochSeconds(stopDate) }),
    redriveCount: 0,
  };
}

/** An execution as DescribeExecution returns it. */
export function describeExecution(execution: Execution): object {
  const { input, ending, status } = execution;
  return {
    ...listExecution(execution),
    input,
    inputDetails: { included: true },
    ...(ending.output === undefined ? {} : { outputDetails: { included: true } }),
    ...ending,
    ...notRedrivable(status),
  };
}

function notRedrivable(status: string): object {
  const reason = status === 'RUNNING' ? 'Execution is RUNNING' : 'The embedded AWS does not redrive executions';
  return { redriveStatus: 'NOT_REDRIVABLE', redriveStatusReason: `${reason}.` };
}
